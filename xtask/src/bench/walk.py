"""Reads one process's windows by pyatspi, and prints how many nodes they have, and how many seconds that took.

Of each node its name, role and states, and of those that are shown their place. The cells of tables that must not be
listed are left out.
"""

import sys
import time

import pyatspi
from gi.repository import GLib

app = next(app for app in pyatspi.Registry.getDesktop(0) if app and app.get_process_id() == int(sys.argv[1]))
begun = time.monotonic()
count = 0
waiting = list(app)
while waiting:
    node = waiting.pop()
    try:
        states = node.getState()
        node.name, node.getRole()
        if states.contains(pyatspi.STATE_SHOWING) and "Component" in node.get_interfaces():
            node.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        if not states.contains(pyatspi.STATE_MANAGES_DESCENDANTS):
            waiting.extend(node)
    except (AttributeError, LookupError, NotImplementedError, GLib.Error):
        # It went away meanwhile.
        continue
    count += 1
print(count, time.monotonic() - begun)
