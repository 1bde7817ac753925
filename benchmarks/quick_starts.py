# mypy: disable-error-code="import-not-found"
"""The documented quick starts of LlamaIndex and LangChain, with a model on this machine.

    python -m benchmarks.quick_starts NAME MODEL FOLDER URL

Run by `benchmarks.with_model` in an environment of its own. FOLDER holds text files, MODEL the weights of the
embedding, URL speaks OpenAI's protocol. A question comes in on a line of standard input, as JSON; an answer goes out on
a line of standard output: `answer`, and `retrieved`, a list of `document` and `content`.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

WINDOW = 4096
Answering = Callable[[str], dict[str, Any]]


def llamaindex(model: str, folder: str, url: str) -> Answering:
    """Return LlamaIndex as its starter tutorial with local models has it: all defaults, so two chunks a question."""
    from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex
    from llama_index.embeddings.huggingface import HuggingFaceEmbedding
    from llama_index.llms.openai_like import OpenAILike

    Settings.embed_model = HuggingFaceEmbedding(model_name=model)
    Settings.llm = OpenAILike(
        model="model",
        api_base=url,
        api_key="none",
        is_chat_model=True,
        context_window=WINDOW,
        temperature=0,
        timeout=600,
    )
    engine = VectorStoreIndex.from_documents(SimpleDirectoryReader(folder).load_data()).as_query_engine()

    def answer(question: str) -> dict[str, Any]:
        found = engine.query(question)
        return _line(
            str(found), [(one.node.metadata["file_name"], one.node.get_content()) for one in found.source_nodes]
        )

    return answer


PROMPT = """\
You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the \
question. If you don't know the answer, just say that you don't know. Use three sentences maximum and keep the answer \
concise.
Question: {question}
Context: {context}
Answer:"""
"""LangChain's `rlm/rag-prompt`, which its RAG tutorial pulls."""


def langchain(model: str, folder: str, url: str) -> Answering:
    """Return LangChain as its RAG tutorial has it: pieces of 1,000 characters, four a question."""
    from langchain_community.document_loaders import DirectoryLoader, TextLoader
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_huggingface import HuggingFaceEmbeddings
    from langchain_openai import ChatOpenAI
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    loader = DirectoryLoader(folder, glob="*.txt", loader_cls=TextLoader, loader_kwargs={"encoding": "utf-8"})
    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    store = InMemoryVectorStore(HuggingFaceEmbeddings(model_name=model))
    store.add_documents(documents=splitter.split_documents(loader.load()))
    speaking = ChatOpenAI(model="model", base_url=url, api_key="none", temperature=0, timeout=600)

    def answer(question: str) -> dict[str, Any]:
        found = store.similarity_search(question)
        context = "\n\n".join(one.page_content for one in found)
        said = speaking.invoke(PROMPT.format(question=question, context=context))
        return _line(str(said.content), [(Path(one.metadata["source"]).name, one.page_content) for one in found])

    return answer


def _line(answer: str, found: list[tuple[str, str]]) -> dict[str, Any]:
    return {"answer": answer, "retrieved": [{"document": name, "content": text} for name, text in found]}


def main() -> None:
    """Answer what comes in, until nothing does."""
    name, model, folder, url = sys.argv[1:]
    answer = {"llamaindex": llamaindex, "langchain": langchain}[name](model, folder, url)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
