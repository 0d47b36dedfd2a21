"""`--engine ray`: `score` and `verify` over any number of rows, by the workers of a Ray cluster.

The input is cut into parts of some hundred rows (`rows`). A worker reads its part, makes the lines that the
local run would make (`scoring`, and `verify` of the commands), and writes them to a file of their own
(`parts`), whose name says what it was made from. A run that was killed therefore goes on with the parts that
are missing. `engine` hands the parts to Ray Data, `job` is the whole run.
"""
