"""The vLLM plugin: Kimi-K3's fused decode layers in a server, gated by a certificate.

The package ``kk3`` declares the entry point ``kk3 = kk3fast.serve.plugin:register`` in the group
``vllm.general_plugins``; vLLM 0.33.0 loads it in every process. ``register`` only registers: it
imports neither torch nor vLLM's models.

What the plugin replaces in vLLM
--------------------------------
* ``vllm.model_executor.models.config.MODELS_CONFIG_MAP[arch]`` for ``KimiLinearForCausalLM`` and
  ``KimiK3ForConditionalGeneration``: a subclass of the entry that was there, whose
  ``verify_and_update_config`` runs the configuration check (main process, before any worker).
* after the import of ``vllm.models.kimi_k3.amd.linear``, in every process that imports it:
  the name ``specialized_decode_config`` in that module (the check of every worker, agreed over the
  ranks; it runs in the model's ``__init__`` before weights are allocated and gives a
  ``kk3fast.serve.config.ServedConfig``, a ``DecodeConfig`` with what was opened), and
  ``KimiLinearForCausalLM.build_specialized_decode`` (the executor).
  A subclass of ``KimiLinearForCausalLM`` that does not override these two is served as well.

``build_specialized_decode()`` sets ``model.specialized_decode`` to an executor with vLLM's methods
``prepare_kv()``, ``plan(positions, intermediate_tensors)`` and ``after_step()``. Without a
``ModelState`` (the V1 runner) the model itself calls ``build_specialized_decode()`` and
``prepare_kv()`` on its first forward that has attention metadata.

Keys of ``additional_config``
-----------------------------
``decode_backend``
    ``auto`` (default): nothing changes. ``kk3``: our kernels. ``latency_specialized``: vLLM's.
``kk3_certificate``, ``kk3_policy``
    Files. With ``kk3`` both are needed; with ``latency_specialized`` a certificate, or
    ``KK3_REQUIRE_CERTIFICATE=1``, closes the gate on vLLM's kernels.
``kk3_kernels``
    ``flydsl`` (default; gfx950 only, needs a certificate that opens ``production``, or with
    ``kk3_evaluation`` true, on a server that is evaluated and serves nobody, ``evaluation``),
    ``contract`` or ``simulated`` (any machine; ``simulation`` is enough).
``kk3_off_switch``
    A path. While the file exists all ranks run vLLM's layers, from one common step on.
``kk3_test_fault``, ``kk3_test_stall_step``
    Tests only, refused with ``flydsl``: ``moe_output`` scales the planned layers' MoE output by
    1.5; the number of the planned step in which the last rank stalls for 2 s and gives up.

Environment
-----------
``KK3_DECODE_BACKEND=auto``
    Off, whatever ``additional_config`` says. Any other value is refused.
``KK3_REQUIRE_CERTIFICATE=1``
    Refuse ``latency_specialized`` without a certificate.
``KK3_STATE_DIR``
    Folder of the workers' state files ``rank-<r>.json``; a new temporary folder if it is not set.
``KK3_SIMULATOR_PYTHON``, ``KK3_SIMULATOR_PATH``, ``KK3_SIMULATOR_DEADLINE_S``
    Of ``simulated``; see :mod:`kk3fast.serve.simulated_settings`.

What the kernels read of a layer (``KimiDecoderLayer``)
-------------------------------------------------------
``layer_idx``, ``prev_valid_blocks``, ``is_block_write_layer``, ``block_write_idx``; ``.weight`` of
``self_attention_res_norm``, ``self_attention_res_proj`` ``[1, H]``, ``input_layernorm``,
``mlp_res_norm``, ``mlp_res_proj``, ``post_attention_layernorm``.

KDA ``self_attn``: ``prefix``, ``kv_cache`` (conv, recurrent), ``A_log``, ``dt_bias``; ``.weight``
of ``in_proj_qkvgfab``, ``f_b_proj``, ``conv1d`` ``[3·h·d, 1, 4]``, ``o_norm``, ``o_proj``.
The conv cache is ``[slots, dim, len]`` if vLLM's ``is_conv_state_dim_first()``, else
``[slots, len, dim]``.

MLA ``self_attn``: ``o_proj.weight`` and
``mla_attn.forward(positions, hidden_states, skip_o_proj=True)``, the gated attention output of the
rank's heads ``[S, h·v]``.

``mlp``: ``.weight`` of ``gate``, ``routed_expert_down_proj``, ``routed_expert_norm``,
``routed_expert_up_proj`` (the rank's rows if ``routed_output_transform.row_sharded``, else all),
``shared_experts.gate_up_proj`` (the rank's gate rows, then its up rows),
``shared_experts.down_proj``; ``gate.e_score_correction_bias``; of ``experts.routed_experts`` (or of
``experts`` itself) ``w13_weight`` uint8 ``[E, 2·i, l/2]`` (gate rows, then up rows),
``w13_weight_scale`` uint8 ``[E, 2·i, l/32]``, ``w2_weight`` ``[E, l, i/2]``, ``w2_weight_scale``
``[E, l, i/32]``: packed as the checkpoint has them off gfx950, in AITER's order on it.

Of the step's metadata of a KDA layer: ``spec_sequence_masks``, ``num_prefills``, ``num_decodes``,
``num_spec_decodes``, ``uniform_spec_sequence_length``, ``spec_state_indices_tensor`` ``[R, L]``,
``num_accepted_tokens`` ``[R]``.

With a bf16 model the contract rounds where production does; with an fp32 model it rounds nowhere
(MXFP4 quantisation stays: it is the layer's definition), so that tokens can be compared with an
fp32 stock path that quantises the latent row and the experts' hidden row alike.

Metrics (``/metrics`` of the API server; label ``rank``)
--------------------------------------------------------
``kk3_gate_info{tp,backend,kernels,opens,certificate,deployment,model,device}`` 1 (``deployment``:
``Deployed.digest``), ``kk3_steps_total``,
``kk3_steps_planned_total``, ``kk3_steps_stock_total``, ``kk3_steps_refused_total{reason}`` (why
steps ran vLLM's layers), ``kk3_layer_launches_total``, ``kk3_fail_stops_total``,
``kk3_switched_off`` 0 or 1.

Log lines
---------
One a worker, once the gate has opened::

    kk3: rank 0 of 2: decode_backend=kk3 kernels=contract opens=simulation certificate=<12 hex>
    kk3: rank 0 of 2: 10 layers, widths [4, 8], 18 builds; other steps run vLLM's decode

Refusals are one ``ValueError`` that begins ``kk3: decode_backend=<value> is refused`` and lists
every reason as ``\\n  - <code>: <sentence>``; a stopped server's begins ``kk3: fail-stop``.
"""
