package cli

import "syscall"

// hangUp is a signal that does not come: the system has none for a terminal that is closed.
const hangUp = syscall.SIGTRAP

// catchPipeSignal does nothing: the system has no such signal.
func catchPipeSignal() {}
