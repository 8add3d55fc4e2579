package cli

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"testing"
)

// A signal that the process received before stop is the cause of the context, even if no goroutine
// ran since then: a program of the same group, which received the signal, too, may exit at once.
func TestSignalBeforeStop(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for range 100 {
		ctx, stop := interruptible(context.Background())
		if err := syscall.Tgkill(os.Getpid(), syscall.Gettid(), syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		stop()
		if caught, ok := context.Cause(ctx).(signalError); !ok || caught.Signal != os.Interrupt {
			t.Fatalf("the cause is %v", context.Cause(ctx))
		}
	}
	ctx, stop := interruptible(context.Background())
	stop()
	if context.Cause(ctx) != context.Canceled {
		t.Errorf("without a signal the cause is %v", context.Cause(ctx))
	}
}
