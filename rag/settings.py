"""One frozen `Settings`, read from the environment by whoever starts the program and handed down."""

import difflib
import hashlib
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict

from rag.errors import ConfigurationError
from rag.models import EstimatorName
from rag.models.complaints import reason_of

_SLIP = 0.87  # how alike two names are, 0..1, from which one is taken for the other misspelt
_DAY_S = 86_400
"""Longest time limit, in seconds: beyond some hundred years the clocks of libraries overflow, and no limit is kept."""
_ANY_MODEL = "CANDOR_LLM_MODEL"  # names the model whatever server is used
NO_READER = "none"  # the value of `reader_model` that turns reading off
DECIDING = (
    "top_k", "similarity_threshold", "dense_weight", "candidates", "chapter_bonus", "language",
    "estimator", "confidence_threshold", "unsure_threshold", "windows",
    "ollama_host", "ollama_model", "openai_base_url", "openai_model", "openai_context", "gguf",
    "connect_timeout_s", "token_timeout_s", "generation_timeout_s", "on_model_failure",
    "max_tokens", "temperature", "seed", "max_context", "grounding_model", "grounding_threshold", "reader_model",
)  # fmt: skip
"""The settings that decide an answer; their values make its settings fingerprint.

Model, weights and precision of the embedding stand in a fingerprint of their own, and so does the gate's fit. The time
limits are here because a model that is cut off is stood in for by quotes.
"""


class Settings(BaseSettings):
    """All settings: `CANDOR_<NAME>` in the environment or in `.env`; `OLLAMA_HOST` and `QDRANT_URL` as is customary.

    A folder that is named by nothing counts as not set, and `~` in it is the home of the user, as in a shell.
    """

    model_config = SettingsConfigDict(
        env_prefix="CANDOR_", env_file=".env", extra="ignore", frozen=True, populate_by_name=True
    )

    data_dir: Path = Field(Path(".candor"), description="Folder for everything that Candor writes.")

    # Embedding
    embedding_model: str | None = Field(
        None, description="Another model by hub name or local path; default: the packaged all-MiniLM-L6-v2."
    )
    embedding_backend: Literal["auto", "torch", "openvino"] = Field("auto", description="What runs the model.")
    embedding_precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        description="Numeric precision; auto: what is fastest here, for the reader 8-bit integers where the processor "
        "multiplies them.",
    )
    threads: int | None = Field(None, ge=1, description="Threads for embedding; default: all cores.")
    embedding_workers: int = Field(0, ge=0, description="Ray workers that embed passages; 0: this process does.")
    ray_address: str | None = Field(None, description="Address of the Ray cluster; default: one on this machine.")
    cache_dir: Path | None = Field(None, description="Where the compiled model is kept; default: cache in data_dir.")

    # Store
    qdrant_url: str | None = Field(
        None,
        validation_alias=AliasChoices("CANDOR_QDRANT_URL", "QDRANT_URL"),
        description="A Qdrant server or cluster; default: the embedded engine.",
    )
    qdrant_api_key: SecretStr | None = Field(
        None, validation_alias=AliasChoices("CANDOR_QDRANT_API_KEY", "QDRANT_API_KEY"), description="Its API key."
    )
    qdrant_timeout_s: float = Field(5.0, gt=0, le=_DAY_S, description="Longest wait for the Qdrant server.")
    collection: str = Field("candor", description="Name of the collection on a Qdrant server.")
    qdrant_shards: int | None = Field(None, ge=1, description="Parts of the collection; default: the server decides.")
    qdrant_replicas: int = Field(1, ge=1, description="Copies of each part, on as many nodes.")
    qdrant_write_consistency: int = Field(1, ge=1, description="Copies that must have a write before it counts.")
    quantization: Literal["auto", "none", "int8", "int4"] = Field(
        "auto",
        description="A smaller copy of the vectors to search first; scores are the whole ones'. auto: int4 where all "
        "are compared, int8 beside a graph (beyond 20,000) and on a server.",
    )
    database_url: str | None = Field(
        None,
        description="SQLAlchemy address of sessions, labels and keys, and with qdrant_url of the catalogue; "
        "default: SQLite in data_dir.",
    )

    # Retrieval
    top_k: int = Field(5, ge=1, le=20, description="Chunks that an answer may rest on.")
    similarity_threshold: float = Field(0.0, ge=0, le=1, description="Drops single chunks.")
    dense_weight: float = Field(0.75, ge=0, le=1, description="Weight of dense against BM25 in fusion.")
    candidates: int = Field(50, ge=10, le=500, description="Candidates from each of dense and BM25 search.")
    chapter_bonus: float = Field(0.1, ge=0, le=1, description="What the chapter asked for adds in chapter-aware mode.")
    language: str = Field("english", description="Snowball stemmer for BM25.")

    # Gate
    estimator: EstimatorName = Field("calibrated", description="How confidence is computed.")
    confidence_threshold: float | None = Field(None, ge=0, le=1, description="Overrides the estimator's own threshold.")
    unsure_threshold: float | None = Field(None, ge=0, le=1, description="The same for showing passages as unsure.")
    windows: int = Field(24, ge=4, le=64, description="Most windows of the passages found that the reader reads.")

    gate_dir: Path | None = Field(None, description="Where the gate's own fit is kept; default: data_dir.")
    reader_head: Path | None = Field(
        None, description="What 'candor train' taught the reader; default: reader-head.json in data_dir."
    )

    # Generation
    ollama_host: str = Field(
        "http://127.0.0.1:11434",
        validation_alias=AliasChoices("CANDOR_OLLAMA_HOST", "OLLAMA_HOST"),
        description="Address of Ollama.",
    )
    ollama_model: str | None = Field(
        None,
        validation_alias=AliasChoices("CANDOR_OLLAMA_MODEL", _ANY_MODEL),
        description="Model to use; default: the first that Ollama lists.",
    )
    openai_base_url: str | None = Field(
        None,
        description="Address of a server with OpenAI's protocol, to use instead of Ollama: http://127.0.0.1:8080/v1.",
    )
    openai_api_key: SecretStr | None = Field(None, description="Its API key, if it needs one.")
    openai_model: str | None = Field(
        None,
        validation_alias=AliasChoices("CANDOR_OPENAI_MODEL", _ANY_MODEL),
        description="Its model to use; default: the only one that it lists.",
    )
    openai_context: int | None = Field(
        None, ge=512, description="Tokens of that model's context window, if the server does not say; default: 2048."
    )
    gguf: Path | None = Field(
        None, description="A model file to run in this process instead of a server; needs candor-rag[gguf]."
    )
    allow_remote_model: bool = Field(
        False, description="Send questions with passages of the documents to a model server that is not this machine."
    )
    connect_timeout_s: float = Field(
        2.0, gt=0, le=_DAY_S, description="Longest wait for a model server to accept a connection."
    )
    generation_timeout_s: float = Field(40.0, gt=0, le=_DAY_S, description="Longest whole generation.")
    token_timeout_s: float = Field(20.0, gt=0, le=_DAY_S, description="Longest silence while generating.")
    max_tokens: int = Field(500, ge=1, le=2000, description="Longest answer.")
    temperature: float = Field(0.0, ge=0, le=1, description="Sampling temperature.")
    seed: int = Field(0, ge=0, le=2**31 - 1, description="Sampling seed: the same question gets the same answer.")
    max_context: int = Field(8192, ge=512, description="Largest context window to request from the model server.")
    on_model_failure: Literal["extractive", "error"] = Field(
        "extractive",
        description="When the model fails: quote instead and say so, or report LLM_ERROR. With extractive and no "
        "model named, it is no failure if Ollama is not running: Candor quotes.",
    )

    # Trust
    grounding_model: str | None = Field(
        None, description="A published NLI cross-encoder by name or path, instead of the shipped entailment model."
    )
    grounding_threshold: float = Field(
        0.88, gt=0, le=1, description="Show a model's sentence if its support is at least this."
    )
    reader_model: str | None = Field(
        None,
        description="A published reader by name or path; default: the one that comes with Candor; none: no reading, "
        "with an estimator that needs none.",
    )

    # Record
    log_questions: bool = Field(
        False,
        description="Write the text of questions to the log: personal data, and neither deleting a conversation nor "
        "retention removes it there.",
    )
    log_stdout: bool = Field(
        False, description="Write each log line to standard output too, where Candor serves; commands never do."
    )
    log_max_mb: int = Field(50, ge=1, description="Rotate the log at this size.")
    log_backups: int = Field(5, ge=0, description="Rotated logs to keep.")
    record_answers: bool = Field(True, description="Keep whole answers, so that they can be inspected and replayed.")

    otlp_endpoint: str | None = Field(
        None,
        validation_alias=AliasChoices("CANDOR_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
        description="Address of an OpenTelemetry collector, as http://127.0.0.1:4318: each question is sent there as a "
        "trace, its texts only with log_questions; needs candor-rag[otel].",
    )
    retention_days: int = Field(
        0, ge=0, le=36_500, description="Forget conversations and answers older than this; 0: keep."
    )

    # Service
    watch: str = Field("", description="Folders that a server watches and keeps indexed, separated as in PATH.")
    host: str = Field("127.0.0.1", description="Address to serve on.")
    port: int = Field(8501, ge=1, le=65535, description="Port to serve on.")
    rate_limit_per_minute: int = Field(0, ge=0, description="Requests per client and minute; 0: no limit.")
    allow_open: bool = Field(False, description="Serve beyond this machine without API keys; something else guards it.")
    concurrency: int | None = Field(None, ge=1, description="Questions worked on at once; default: cores and one more.")
    queue_size: int = Field(64, ge=0, description="Questions that may wait; further ones are rejected.")
    request_timeout_s: float | None = Field(
        None,
        gt=0,
        le=_DAY_S,
        description="Longest wait for an answer, the queue included; default: 20 s above a generation's.",
    )
    ingest_queue_size: int = Field(
        16, ge=0, description="Uploads and deletions through the API that may wait; further ones are rejected."
    )
    ingest_timeout_s: float = Field(
        300.0,
        gt=0,
        le=_DAY_S,
        description="Longest time for a file that is uploaded through the API, the queue included.",
    )
    body_timeout_s: float = Field(
        30.0,
        gt=0,
        le=_DAY_S,
        description="Longest time for a request's body to arrive; of an upload: longest silence in it.",
    )
    upload_timeout_s: float = Field(3600.0, gt=0, le=_DAY_S, description="Longest time for an upload's body to arrive.")
    cors_origins: str = Field("", description="Web origins that may call the API from a browser, comma separated.")
    max_upload_mb: int = Field(200, ge=1, description="Largest file to accept, in units of 1024 x 1024 bytes.")

    # Login to the dashboard, by OpenID Connect
    oidc_metadata_url: str = Field("", description="The provider's .../.well-known/openid-configuration.")
    oidc_client_id: str = Field("", description="Candor's name at the provider.")
    oidc_client_secret: SecretStr | None = Field(None, description="Candor's secret at the provider.")
    oidc_redirect_url: str = Field(
        "", description="Where the provider sends people back to: the dashboard's own address and /oauth2callback."
    )
    oidc_cookie_secret: SecretStr | None = Field(
        None, description="Signs the cookies of logins, with a key too; default: made once and kept in data_dir."
    )
    oidc_role_claim: str = Field("groups", description="The claim of the identity token that says what somebody is.")
    oidc_roles: str = Field("", description="Its values and their roles: staff=ask, reviewers=evaluate, it=admin.")
    oidc_default_role: Literal["none", "ask", "evaluate", "admin"] = Field(
        "none", description="The role of people whom oidc_roles does not name; none: they are turned away."
    )
    oidc_hours: int = Field(12, ge=1, description="Hours until people must log in again, with a key too.")

    @field_validator("data_dir", "cache_dir", "gate_dir", "reader_head", "gguf", mode="before")
    @classmethod
    def _folder(cls, value: object, info: ValidationInfo) -> object:
        """Take no folder for the default, not for the current folder, and `~` for the home of the user."""
        if isinstance(value, str) and not value.strip() and info.field_name is not None:
            return cls.model_fields[info.field_name].default
        try:
            return Path(value).expanduser() if isinstance(value, str | Path) else value
        except RuntimeError as error:
            raise ValueError(f"{str(error).rstrip('.')}; write the folder's whole path") from error

    @field_validator("cors_origins")
    @classmethod
    def _single_origins(cls, value: str) -> str:
        """Take origins one by one: behind `*` any page that somebody has open could ask, read and delete."""
        for origin in filter(None, (part.strip() for part in value.split(","))):
            parts = urlsplit(origin)
            if "*" in origin or not parts.scheme or not parts.netloc or parts.path.strip("/") or parts.query:
                raise ValueError(
                    f"{origin!r} is not one web origin. Name each that may call, scheme and host and port alone, as "
                    f"https://app.example,http://localhost:3000; there is no word for all, because any page that "
                    f"somebody has open could then read the documents"
                )
        return value

    @property
    def gate_home(self) -> Path:
        """The folder in which a gate of one's own stands: that of the promoted one, else the data folder."""
        return self.gate_dir or self.data_dir

    @property
    def head_file(self) -> Path:
        """The file of what the reader was taught here; it need not be there."""
        return self.reader_head or self.data_dir / "reader-head.json"

    @property
    def max_upload_bytes(self) -> int:
        """Bytes of the largest file to accept, however it comes: through the API, the dashboard or a folder."""
        return self.max_upload_mb * 1024 * 1024

    @property
    def request_limit_s(self) -> float:
        """Seconds that a request through the API may take as a whole, its wait in the queue included."""
        return self.request_timeout_s or 2 * self.generation_timeout_s + 20.0  # a summary, or a rewritten follow-up


_KNOWN = (*(f"CANDOR_{name.upper()}" for name in Settings.model_fields), _ANY_MODEL)


_OF_TESTS = ("CANDOR_CI", "CANDOR_SCREENSHOTS")
"""What the project's own tests read, and servers that they start inherit."""


def _unknown() -> dict[str, str]:
    """Return what is named as settings are and is none, with its value and where it stands."""
    read = {"in .env": DotEnvSettingsSource(Settings), "in the environment": EnvSettingsSource(Settings)}
    stated = {
        name.upper(): f"{value!r} {where}"
        for where, source in read.items()
        for name, value in source.env_vars.items()
        if name.startswith("candor_")
    }
    return {name: stated[name] for name in sorted(stated) if name not in _KNOWN}


def unread_names() -> dict[str, str]:
    """Return the variables, of the environment and of `.env`, that are named as settings are and that none reads.

    Returns:
        Each name, and the setting whose name is nearest.
    """
    unread = [name for name in _unknown() if name not in _OF_TESTS]
    return {name: difflib.get_close_matches(name, _KNOWN, n=1, cutoff=0.0)[0] for name in unread}


def load_settings(**overrides: object) -> Settings:
    """Return the settings of this process.

    Raises:
        ConfigurationError: A variable is malformed, or its name is a slip of the pen; the message names it. Or `.env`
            cannot be read as text.
    """
    try:
        for name, stands in _unknown().items():
            if near := difflib.get_close_matches(name, _KNOWN, n=1, cutoff=_SLIP):  # else it would be ignored
                raise ConfigurationError(f"There is no setting {name} (it is {stands}). Did you mean {near[0]}?")
        return Settings(**overrides)  # type: ignore[arg-type]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"The settings in {str(Path('.env').absolute())!r} cannot be read as UTF-8 text: {error}. Save the file as "
            f"UTF-8, or remove it."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "?"
        variable = name if name.isupper() else f"CANDOR_{name.upper()}"
        raise ConfigurationError(
            f"The setting {variable}={first.get('input')!r} is not valid: {reason_of(first)}. "
            f"Correct it in the environment or in .env."
        ) from error


def settings_fingerprint(settings: Settings) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 over the settings that decide an answer."""
    values = "\n".join(f"{name}={getattr(settings, name)!r}" for name in DECIDING)
    return hashlib.sha256(values.encode()).hexdigest()[:12]
