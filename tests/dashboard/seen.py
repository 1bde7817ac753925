"""What the tests of pages share: a library, two questions asked of it, and what a page says."""

from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from readers import ScriptedReader

from dashboard import login, resources
from dashboard.login import Person
from rag.candor import Candor
from rag.confidence.calibrated import SHIPPED, GateFit
from rag.text.words import is_stopword, stems, words

ROOT = Path(__file__).parents[2]
KNOWN = "Between which values must the face velocity of a fume hood in use lie?"
UNKNOWN = "Who won the football world cup in 1998?"


def text_of(test):
    """Return everything that a page says in words, without the escapes of Markdown."""
    assert not test.exception, [error.stack_trace for error in test.exception]
    kinds = (test.markdown, test.caption, test.info, test.warning, test.error, test.success, test.title, test.subheader)
    metrics = [f"{metric.label} {metric.value}" for metric in test.metric]
    return "\n".join([*(str(element.value) for kind in kinds for element in kind), *metrics]).replace("\\", "")


def send(test, question):
    return test.chat_input[0].set_value(question).run()


def typed_in(test):
    """Return what people wrote, in their own words."""
    return [message.markdown[0].value for message in test.chat_message if message.name == "user"]


def address(test, part):
    """Return the one address on the page that has this part, and its parameters."""
    (found,) = [str(code.value) for code in test.code if part in str(code.value)]
    return found, dict(parse_qsl(urlsplit(found).query))


def says(told, *parts):
    assert not [part for part in parts if part not in told], told


@contextmanager
def notes(folder, estimator="max_similarity", **texts):
    """Open a Candor over notes of these names, in Markdown."""
    with Candor.open(data_dir=folder, ollama_host="http://127.0.0.1:9", estimator=estimator) as candor:
        candor.wiring.reader = word_reader()
        for name, text in texts.items():
            candor.ingest_bytes(f"{name}.md", text.encode())
        yield candor


def ask(open_page, question=KNOWN, **parameters):
    """Open Ask by a link with these parameters, and ask a question."""
    return open_page(**parameters).chat_input[0].set_value(question).run()


def session_of(test):
    return "".join(test.query_params["session"])


def table_with(test, column):
    return next(one.value for one in test.dataframe if column in one.value)


def ended(kind):
    """Wait until the one job of a kind is done, and return it."""
    (job,) = resources.get_jobs().of(kind)
    job.thread.join(120)
    assert job.state == "done", job.error
    return job


def logged_in(monkeypatch, name, role, account=None):
    """Let this person look at every page from now on."""
    monkeypatch.setattr(login, "person_here", lambda: Person(name, role, account=account))


def button(test, label):
    return next(one for one in test.button if one.label == label)


def fill(test, **values):
    """Set fields of a form by their keys, without sending it."""
    fields = (*test.text_input, *test.number_input, *test.selectbox, *test.slider, *test.checkbox)
    for key, value in values.items():
        next(one for one in fields if one.key == key).set_value(value)


def offers(test, label):
    return label in [one.label for one in test.button]


def answer_of(test):
    return test.session_state["ask_turns"][-1]


def part(test, name, key="parts"):
    """Open a part of a request, or by the key `run-part` of a run: only what is open is drawn."""
    test.session_state[key] = name
    return test.run()


def advanced(test):
    test.session_state["t_advanced"] = True
    return test.run()


def move(test, key, value):
    return advanced(test).select_slider(key=key).set_value(value).run()


def word_reader():
    """Return a reader that goes by shared words: pages show what a reader said, whatever it said it by.

    It goes by the name of the one that the shipped gate was fitted with, so that this gate can be tried.
    """
    reader = ScriptedReader(_shared, lambda question, sentence: _shared(question, sentence) >= 0.5)
    reader.name = GateFit.model_validate_json(SHIPPED.read_text(encoding="utf-8")).reader or reader.name
    return reader


def _shared(question, text):
    """The share of a question's words, 0..1, that a text has."""
    asked = {stem for word in words(question) if not is_stopword(word) for stem in stems(word)}
    return len(asked & {*stems(text)}) / len(asked) if asked else 0.0


@contextmanager
def sample_library(folder):
    """Open a Candor with the samples in it, of which two questions were asked."""
    with Candor.open(data_dir=folder, ollama_host="http://127.0.0.1:9", estimator="max_similarity") as candor:
        candor.wiring.reader = word_reader()
        names = ("safety_manual.pdf", "textbook.md", "faq.html", "travel_policy.docx")
        candor.ingest([ROOT / "samples" / name for name in names])
        candor.ask(KNOWN)
        candor.ask(UNKNOWN)
        yield candor
