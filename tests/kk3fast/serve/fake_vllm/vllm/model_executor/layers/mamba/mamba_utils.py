def is_conv_state_dim_first():
    return True
