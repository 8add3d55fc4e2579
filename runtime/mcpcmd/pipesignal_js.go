package mcpcmd

// catchPipeSignal does nothing: the system has no such signal.
func catchPipeSignal() {}
