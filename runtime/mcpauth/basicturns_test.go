package mcpauth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

// One address guesses passwords with any number of concurrent requests: a client with the right
// password at another address is accepted as soon as one guess is verified, and the failure limit
// bounds the verified guesses.
func TestGuessesOfOneAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const failures, guesses = 5, 100
		var derived atomic.Int32
		v := Basic(Passwords{"ada": {Hash: CheapHash("right")}}).(*basic)
		v.running = turns.New[clientlimit.Client](2, 2, maxPasswordsWaiting)
		v.derive = func(password string, salt []byte, rounds int) []byte {
			derived.Add(1)
			time.Sleep(time.Second)
			return derive(password, salt, rounds/cheap)
		}
		g, err := New(Options{Resource: "https://mcp.example.com/mcp", Verifiers: []Verifier{v}, MaxFailuresPerMinute: failures})
		if err != nil {
			t.Fatal(err)
		}
		try := func(ctx context.Context, address, password string) (status int) {
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://mcp.example.com/mcp", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.RemoteAddr = address + ":1"
			r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("ada:"+password)))
			_, err = g.Principal(r)
			if refusal, ok := errors.AsType[*mcphttp.Refusal](err); ok {
				return refusal.Status
			} else if err != nil {
				t.Error(err)
			}
			return http.StatusOK
		}
		var mu sync.Mutex
		statuses := map[int]int{}
		for i := range guesses {
			go func() {
				status := try(t.Context(), "192.0.2.1", fmt.Sprint("wrong", i))
				mu.Lock()
				statuses[status]++
				mu.Unlock()
			}()
		}
		synctest.Wait()
		begun := time.Now()
		if status := try(t.Context(), "192.0.2.2", "right"); status != http.StatusOK || time.Since(begun) > 2*time.Second {
			t.Errorf("the right password at another address: status %d after %v", status, time.Since(begun))
		}
		time.Sleep(time.Minute / 2)
		synctest.Wait()
		if n := derived.Load(); n > 1+failures+1 { // two are verified at a time
			t.Errorf("%d guesses are verified, with a limit of %d", n-1, failures)
		}
		mu.Lock()
		defer mu.Unlock()
		if statuses[http.StatusOK] > 0 || statuses[http.StatusUnauthorized]+statuses[http.StatusTooManyRequests]+statuses[http.StatusServiceUnavailable] != guesses {
			t.Errorf("statuses: %v", statuses)
		}
	})
}
