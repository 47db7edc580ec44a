//! Nothing here: the tests are in `tests/`, their data in `data/`.
