"""The Python interface: the only place that joins the layers."""
