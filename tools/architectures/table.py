"""Which architectures, each as small as it still is itself.

Configurations keep every kind of layer: two or more blocks, grouped heads where there
are groups, experts where there are experts, all stages of a network of images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Transformer:
    """`model` and its configuration by their names in `transformers`.

    `inputs` are the names of the model's arguments with what they are drawn as.
    """

    model: str
    config: str
    sizes: Mapping[str, Any]
    inputs: Mapping[str, str] = field(default_factory=lambda: {"input_ids": "text"})


@dataclass(frozen=True)
class Vision:
    """A model by its name in `timm`, for square images of `size`."""

    model: str
    size: int
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


WIDTH, LAYERS, HEADS, VOCABULARY, LENGTH = 32, 2, 4, 97, 64
BERT = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 48,
    "vocab_size": VOCABULARY,
    "max_position_embeddings": LENGTH,
}
DECODER = {**BERT, "num_key_value_heads": 2}
TWO_PARTS = {
    "d_model": WIDTH,
    "encoder_layers": LAYERS,
    "decoder_layers": LAYERS,
    "encoder_attention_heads": HEADS,
    "decoder_attention_heads": HEADS,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "vocab_size": VOCABULARY,
}
PIXELS = {"pixel_values": "image"}
IMAGES = {
    "hidden_size": WIDTH,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "intermediate_size": 48,
    "image_size": 24,
    "patch_size": 8,
}

TRANSFORMERS: dict[str, Transformer] = {
    "bert": Transformer("BertModel", "BertConfig", BERT),
    "roberta": Transformer("RobertaModel", "RobertaConfig", BERT),
    "distilbert": Transformer(
        "DistilBertModel",
        "DistilBertConfig",
        {
            "dim": WIDTH,
            "n_layers": LAYERS,
            "n_heads": HEADS,
            "hidden_dim": 48,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": LENGTH,
        },
    ),
    "electra": Transformer(
        "ElectraModel", "ElectraConfig", {**BERT, "embedding_size": 24}
    ),
    "gpt2": Transformer(
        "GPT2LMHeadModel",
        "GPT2Config",
        {
            "n_embd": WIDTH,
            "n_layer": LAYERS,
            "n_head": HEADS,
            "vocab_size": VOCABULARY,
            "n_positions": LENGTH,
        },
    ),
    "gpt_neox": Transformer("GPTNeoXForCausalLM", "GPTNeoXConfig", BERT),
    "opt": Transformer(
        "OPTForCausalLM",
        "OPTConfig",
        {
            "hidden_size": WIDTH,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "ffn_dim": 48,
            "vocab_size": VOCABULARY,
            "max_position_embeddings": LENGTH,
            "word_embed_proj_dim": WIDTH,
        },
        {"input_ids": "text", "attention_mask": "mask"},
    ),
    "llama": Transformer("LlamaForCausalLM", "LlamaConfig", DECODER),
    "mistral": Transformer(
        "MistralForCausalLM", "MistralConfig", {**DECODER, "sliding_window": 5}
    ),
    "mixtral": Transformer(
        "MixtralForCausalLM",
        "MixtralConfig",
        # PyTorch's grouped product has no float64 to compare with.
        {**DECODER, "num_local_experts": 4, "experts_implementation": "batched_mm"},
    ),
    "qwen3": Transformer("Qwen3ForCausalLM", "Qwen3Config", {**DECODER, "head_dim": 8}),
    "gemma": Transformer("GemmaForCausalLM", "GemmaConfig", {**DECODER, "head_dim": 8}),
    "phi": Transformer("PhiForCausalLM", "PhiConfig", BERT),
    "mamba": Transformer(
        "MambaForCausalLM",
        "MambaConfig",
        {
            "hidden_size": WIDTH,
            "num_hidden_layers": LAYERS,
            "vocab_size": VOCABULARY,
            "state_size": 8,
        },
    ),
    "t5": Transformer(
        "T5ForConditionalGeneration",
        "T5Config",
        {
            "d_model": WIDTH,
            "d_kv": 8,
            "d_ff": 48,
            "num_layers": LAYERS,
            "num_heads": HEADS,
            "vocab_size": VOCABULARY,
        },
        {"input_ids": "text", "decoder_input_ids": "text"},
    ),
    "bart": Transformer(
        "BartModel",
        "BartConfig",
        {
            **TWO_PARTS,
            "max_position_embeddings": LENGTH,
        },
        {"input_ids": "text", "decoder_input_ids": "text"},
    ),
    "whisper": Transformer(
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        {
            **TWO_PARTS,
            "num_mel_bins": 16,
            "max_source_positions": 20,
            "max_target_positions": LENGTH,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "decoder_start_token_id": 1,
        },
        {"input_features": "mel", "decoder_input_ids": "text"},
    ),
    "wav2vec2": Transformer(
        "Wav2Vec2Model",
        "Wav2Vec2Config",
        {
            "hidden_size": WIDTH,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": HEADS,
            "intermediate_size": 48,
            "conv_dim": (16, 16),
            "conv_kernel": (10, 3),
            "conv_stride": (5, 2),
            "num_conv_pos_embeddings": 8,
            "num_conv_pos_embedding_groups": 4,
        },
        {"input_values": "audio"},
    ),
    "clip_vision": Transformer("CLIPVisionModel", "CLIPVisionConfig", IMAGES, PIXELS),
    "vit": Transformer("ViTModel", "ViTConfig", IMAGES, PIXELS),
    "dinov2": Transformer("Dinov2Model", "Dinov2Config", IMAGES, PIXELS),
    "segformer": Transformer(
        "SegformerForSemanticSegmentation",
        "SegformerConfig",
        {
            "hidden_sizes": [16, 24, 32, 40],
            "depths": [1, 1, 1, 1],
            "num_attention_heads": [1, 2, 2, 4],
            "decoder_hidden_size": 24,
            "num_labels": 5,
        },
        {"pixel_values": "image64"},
    ),
}

VISION: dict[str, Vision] = {
    "resnet18": Vision("resnet18", 64),
    "resnext50": Vision("resnext50_32x4d", 64),
    "regnet": Vision("regnety_002", 64),
    "vgg11": Vision("vgg11_bn", 32),
    "densenet121": Vision("densenet121", 64),
    "efficientnet_b0": Vision("efficientnet_b0", 64),
    "mobilenet_v2": Vision("mobilenetv2_050", 64),
    "mobilenet_v3": Vision("mobilenetv3_small_050", 64),
    "convnext": Vision("convnext_atto", 64),
    "inception_next": Vision("inception_next_atto", 64),
    "swin": Vision("swin_tiny_patch4_window7_224", 56, {"window_size": 7}),
    "deit": Vision("deit_tiny_patch16_224", 48),
    "mixer": Vision("mixer_s32_224", 96),
    "poolformer": Vision("poolformer_s12", 64),
}
