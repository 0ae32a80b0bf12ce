"""Gates: the only road to the words *accepted* and *verified*.

A candidate passes them in order of cost, and the first that it fails decides:

    G0  text          constructs that a kernel may use
    G1  object        builds in isolation; symbols, sections and instructions
    G2  differential  against `execute`, over cases of values and extents
    G3  model         the whole model with the kernel in it
    G4  performance   paired rounds and an interval
    G5  plausibility  nothing is faster than its floor
    G6  hidden        cases that no policy has seen

Each gate is one module with one function; each says how many checks it did, and a gate
that did none has not passed.
"""
