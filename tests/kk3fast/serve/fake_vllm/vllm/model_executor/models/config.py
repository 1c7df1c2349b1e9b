class VerifyAndUpdateConfig:
    @staticmethod
    def verify_and_update_config(vllm_config):
        return

    @staticmethod
    def verify_and_update_model_config(model_config):
        return


class KimiK3ForConditionalGenerationConfig(VerifyAndUpdateConfig):
    @staticmethod
    def verify_and_update_config(vllm_config):
        vllm_config.seen_by_vllm = True

    @staticmethod
    def verify_and_update_model_config(model_config):
        model_config.seen_by_vllm = True


MODELS_CONFIG_MAP = {"KimiK3ForConditionalGeneration": KimiK3ForConditionalGenerationConfig}
