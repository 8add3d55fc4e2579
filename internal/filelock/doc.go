// Package filelock locks files, so that processes on one machine take turns. A lock ends at the
// latest with its process, where the system has such locks.
package filelock

import (
	"context"
	"time"
)

const poll = 20 * time.Millisecond

// Lock waits until this process has the only lock of a file, or until ctx ends. The file is made
// if it is missing.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	for {
		unlock, err := Try(path)
		if unlock != nil || err != nil {
			return unlock, err
		}
		select {
		case <-time.After(poll):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
