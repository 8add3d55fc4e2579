package cli

import "syscall"

// hangUp is a signal that is never received: the system has none for a closed terminal.
const hangUp = syscall.SIGTRAP

// catchPipeSignal does nothing: the system has no such signal.
func catchPipeSignal() {}
