package children_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/children"
)

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if !children.Wait(0) {
			t.Error("it waits for none")
		}
		first, second := children.Add(), children.Add()
		began := time.Now()
		if children.Wait(time.Second) || time.Since(began) != time.Second {
			t.Errorf("after %v", time.Since(began))
		}
		time.AfterFunc(time.Minute, first)
		time.AfterFunc(2*time.Minute, second)
		began = time.Now()
		if !children.Wait(time.Hour) || time.Since(began) != 2*time.Minute {
			t.Errorf("after %v", time.Since(began))
		}
	})
}
