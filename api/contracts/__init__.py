"""The five contracts: each file translates one written data model to and from `rag.models`, rules included."""
