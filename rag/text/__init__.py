"""Words, sentences, numbers and what a question asks for: text by form alone. Ground floor: imports no stage."""
