"""The report of a tuning run as one self-contained page: no script, no other file.

`document.py` reads `report.json`; `roofline.py`, `curve.py` and `bars.py` turn parts of
it into places on a chart, in pixels; `page.html.j2` and `charts.svg.j2` draw them.
"""
