// Package filelock locks files, so that processes on one machine take turns. If the system supports
// locks, a lock ends at the latest with its process.
package filelock

import (
	"context"
	"time"
)

const poll = 20 * time.Millisecond

// Lock waits until this process holds the only lock of a file, or until ctx is done. It creates the
// file if it is missing.
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
