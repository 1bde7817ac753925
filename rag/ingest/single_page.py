"""One page of a PDF as a file of its own: what a viewer shows, small enough to be sent at once."""

from io import BytesIO
from pathlib import Path
from sys import maxsize

from rag.ingest.loaders.pdf_words import open_pdf
from rag.ingest.loaders.source import read_source, refuse


def single_page(path: Path, page: int) -> tuple[bytes, int]:
    """Return one page as a PDF, and how many pages the whole has.

    Args:
        path: A PDF file.
        page: Page number from 1.

    Raises:
        InvalidDocument: The file is missing, encrypted or broken, or has no such page.
    """
    import pypdfium2 as pdfium  # type: ignore[import-untyped]

    with open_pdf(read_source(path, max_bytes=maxsize)) as document:  # within the limit when it was ingested
        if not 1 <= page <= len(document):
            raise refuse(path.name, f"it has no page {page}", f"Its pages are 1 to {len(document)}")
        alone, buffer = pdfium.PdfDocument.new(), BytesIO()
        alone.import_pages(document, [page - 1])
        alone.save(buffer)
        alone.close()
        return buffer.getvalue(), len(document)
