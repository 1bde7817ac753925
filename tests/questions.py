"""Questions over the sample library, and a pipeline asked them."""

import json
from dataclasses import replace

from rag.adapters.ollama_generator import OllamaGenerator

GLOVES = "Which gloves are required for dichloromethane?"
TRUTH = "For dichloromethane, laminate gloves are required. [1]"
OFF_TOPIC = "What is the capital of Mongolia?"
SURE = {"confidence_threshold": 0.0}
"""Past the gate, where the gate is not what is tested."""


def spoken(pipeline, url, *, token_timeout_s=60, **changes):
    generator = OllamaGenerator(url, connect_timeout_s=60, token_timeout_s=token_timeout_s, total_timeout_s=300)
    return replace(pipeline, generator=generator, **changes)


def ask(pipeline, question, **options):
    return pipeline.ask(pipeline.query(question, **options))


def log(pipeline):
    pipeline.recorder.close()
    return [json.loads(line) for line in pipeline.recorder.log_path.read_text(encoding="utf-8").splitlines()]
