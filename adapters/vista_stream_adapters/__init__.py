"""Ways to put a vista_stream guard around what exists already: clients, services, frameworks."""
