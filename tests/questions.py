"""Questions over the sample library, and a pipeline asked them."""

import json
from dataclasses import replace

from ollama_server.brains import ScriptedBrain
from ollama_server.server import OllamaServer

from rag.adapters.ollama_generator import OllamaGenerator

GLOVES = "Which gloves are required for dichloromethane?"
SHOWN_TRUTH = (
    "For dichloromethane, laminate gloves are required, because it passes through nitrile in less than two minutes."
)
"""How the documents say it, which is what is shown."""
TRUTH = "For dichloromethane, laminate gloves are required. [1]"
OFF_TOPIC = "What is the capital of Mongolia?"
KNOWN = {
    GLOVES: "laminate gloves are required",
    "Between which values must the face velocity of a fume hood in use lie?": "must lie between 0.4 and 0.6",
    "Who is the laser safety officer?": "Dr Mirela Costin",
    "Which extension reaches night security?": "Night security | 4499",
    "What is an esker?": "An esker is a winding ridge",
    "What is the limit for a room per night in North America?": "North America | 190 euros",
    "How long do you keep my data?": "Raw data are kept",
    "What is the density of firn?": "550 kilograms",
    "What is firn?": "Firn is",
}
"""What answers a question: words that stand in one sentence of the samples, or of the text that is selected."""
SURE = {"confidence_threshold": 0.0}  # past the gate, where the gate is not what is tested


def spoken(pipeline, url, *, token_timeout_s=60, **changes):
    generator = OllamaGenerator(url, connect_timeout_s=60, token_timeout_s=token_timeout_s, total_timeout_s=300)
    return replace(pipeline, generator=generator, **changes)


def ask(pipeline, question, **options):
    return pipeline.ask(pipeline.query(question, **options))


def ask_model(pipeline, says, question=GLOVES, *, reader=None, **options):
    """Ask while a model says a text, or what a function of question and passages returns."""
    brain = ScriptedBrain(says if callable(says) else lambda question, passages: says, name="scripted:1b")
    changes = {"reader": reader} if reader else {}
    with OllamaServer(brain) as server:
        return ask(spoken(pipeline, server.url, **changes), question, **options)


def log(pipeline):
    pipeline.recorder.close()
    return [json.loads(line) for line in pipeline.recorder.log_path.read_text(encoding="utf-8").splitlines()]
