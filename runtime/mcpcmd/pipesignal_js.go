package mcpcmd

// catchPipeSignal does nothing: the system does not have the signal.
func catchPipeSignal() {}
