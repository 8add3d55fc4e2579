package mcptask_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/testbed"
	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptask"
)

// A handler that gets its answer within a minute goes on; after that it runs again. It does not
// call functions of Once again, nor ask again.
func TestQuestions(t *testing.T) {
	for name, test := range map[string]struct {
		after time.Duration
		runs  int
	}{"waiting": {30 * time.Second, 1}, "parked": {48 * time.Hour, 3}} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithLimits(mcptask.Limits{MaxTTL: 1000 * time.Hour})))
				defer mcptask.Shutdown(t.Context(), s)
				runs, steps := 0, 0
				add(s, "stocktaking", mcptask.Support{TTL: 500 * time.Hour}, func(ctx context.Context) (string, error) {
					runs++
					if task := mcptask.FromContext(ctx); task.Attempt != runs || len(task.ID) != 26 {
						t.Errorf("run %d: %+v", runs, task)
					}
					text := ""
					for i := range 2 {
						step, err := mcp.Once(ctx, fmt.Sprint("step ", i), func() (int, error) { steps++; return steps, nil })
						if err != nil {
							return "", err
						}
						answer, err := confirm(ctx, fmt.Sprint("Question ", i))
						if err != nil {
							return "", err
						}
						text += fmt.Sprint(step, answer, " ")
					}
					return text, nil
				})
				c := connect(t, s)
				id := c.begin("stocktaking")
				var keys []string
				for i := range 2 {
					wait()
					key, message := c.question(id)
					if message != fmt.Sprint("Question ", i) || slices.Contains(keys, key) {
						t.Errorf("question %d is %s: %s, before: %v", i, key, message, keys)
					}
					keys = append(keys, key)
					time.Sleep(test.after)
					c.question(id)
					c.answer(id, key)
				}
				wait()
				c.is(id, "completed", "1accepttrue 2accepttrue ")
				if runs != test.runs || steps != 2 {
					t.Errorf("%d runs, %d steps", runs, steps)
				}
			})
		})
	}
}

// Invalid answers lead to another question, under a new key, whether the handler waits or not.
func TestInvalidAnswers(t *testing.T) {
	for name, after := range map[string]time.Duration{"waiting": time.Second, "parked": 2 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			within(t, func(t *testing.T) {
				s := newServer()
				add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?", mcp.WithKey("sure")) })
				c := connect(t, s)
				for _, last := range []bool{true, false} {
					id := c.begin("ask")
					for i, want := range []string{"sure", "sure#2", "sure#3"} {
						wait()
						time.Sleep(after)
						wait()
						key, message := c.question(id)
						if key != want || !strings.HasPrefix(message, "Sure?") || (i > 0) != strings.Contains(message, "yes") {
							t.Errorf("question %d: %s %q", i, key, message)
						}
						if i == 2 && last {
							c.answer(id, key)
							break
						}
						c.answerBy(id, key, `{"action":"accept","content":{"yes":"perhaps"}}`)
					}
					wait()
					if last {
						c.is(id, "completed", "accepttrue")
					} else if got := c.is(id, "completed", ""); !got.Result.IsError || !strings.Contains(got.text(), "not valid") {
						t.Errorf("%+v", got)
					}
				}
			})
		})
	}
}

// Several questions at once: from goroutines, and as a value. Answers arrive in parts.
func TestSeveralQuestions(t *testing.T) {
	for name, f := range map[string]func(ctx context.Context) (string, error){
		"goroutines": func(ctx context.Context) (string, error) {
			var all sync.WaitGroup
			texts, errs := make([]string, 3), make([]error, 3)
			for i := range 3 {
				all.Go(func() { texts[i], errs[i] = confirm(ctx, "Sure?", mcp.WithKey(fmt.Sprint("q", i))) })
			}
			all.Wait()
			return strings.Join(texts, " "), errors.Join(errs...)
		},
		"value": func(ctx context.Context) (string, error) {
			questions := map[string]mcp.Question{}
			for i := range 3 {
				if key := fmt.Sprint("q", i); !mcp.Answered(ctx, key) {
					questions[key] = mcp.FormQuestion[sure]("Sure?")
				}
			}
			if len(questions) > 0 {
				return "", &mcp.InputRequired{Questions: questions, State: json.RawMessage(`{"asked":true}`)}
			}
			text := string(mcp.RequestState(ctx))
			for i := range 3 {
				answer, err := confirm(ctx, "Sure?", mcp.WithKey(fmt.Sprint("q", i)))
				if err != nil {
					return "", err
				}
				text += " " + answer
			}
			return strings.TrimPrefix(text, `{"asked":true} `), nil
		},
	} {
		for when, after := range map[string]time.Duration{"soon": time.Second, "late": 5 * time.Minute} {
			t.Run(name+"/"+when, func(t *testing.T) {
				within(t, func(t *testing.T) {
					s := newServer()
					add(s, "ask", mcptask.Support{}, f)
					c := connect(t, s)
					id := c.begin("ask")
					wait()
					for left := 3; left > 0; left-- {
						got := c.is(id, "input_required", "")
						keys := slices.Sorted(maps.Keys(got.InputRequests))
						if len(keys) != left {
							t.Fatalf("%d are left: %v", left, keys)
						}
						time.Sleep(after)
						c.answer(id, keys[0])
						wait()
					}
					c.is(id, "completed", "accepttrue accepttrue accepttrue")
				})
			})
		}
	}
}

// A handler that asks for nothing and never ends.
func TestEndlessRounds(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		runs := 0
		add(s, "loop", mcptask.Support{}, func(ctx context.Context) (string, error) {
			runs++
			return "", &mcp.InputRequired{State: json.RawMessage(`1`)}
		})
		c := connect(t, s)
		id := c.begin("loop")
		wait()
		c.is(id, "failed", "the handler still needs input after 10 rounds")
		if runs != 11 {
			t.Errorf("%d runs", runs)
		}
	})
}

// The answers, values and questions of a task are limited.
func TestStateLimits(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithLimits(mcptask.Limits{StateBytes: 1000, OpenQuestions: 2})))
		defer mcptask.Shutdown(t.Context(), s)
		add(s, "value", mcptask.Support{}, func(ctx context.Context) (string, error) {
			_, err := mcp.Once(ctx, "large", func() (string, error) { return strings.Repeat("x", 1000), nil })
			return fmt.Sprint(err), nil
		})
		add(s, "answer", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?", mcp.WithKey("a")) })
		add(s, "many", mcptask.Support{}, func(ctx context.Context) (string, error) {
			var all sync.WaitGroup
			errs := make(chan error, 3)
			for i := range 3 {
				all.Go(func() {
					_, err := confirm(ctx, "Sure?", mcp.WithKey(fmt.Sprint("q", i)))
					if !errors.Is(err, mcp.ErrPending) {
						errs <- err
					}
				})
			}
			all.Wait()
			return "", errors.Join(<-errs)
		})
		c := connect(t, s)
		value, answer, many := c.begin("value"), c.begin("answer"), c.begin("many")
		wait()
		if got := c.is(value, "completed", ""); !strings.Contains(got.text(), "at most 1000 are kept") {
			t.Errorf("%+v", got)
		}
		if got := c.ask("tasks/update", `"taskId":"`+answer+`","inputResponses":{"a":{"action":"accept","content":{"yes":true},"_meta":{"x.example/a":"`+strings.Repeat("x", 1000)+`"}}}`); !strings.Contains(got, `"reason":"stateTooLarge"`) {
			t.Error(got)
		}
		c.answer(answer, "a")
		if got := c.get(many); len(got.InputRequests) != 2 {
			t.Errorf("%+v", got)
		}
		wait()
		c.is(answer, "completed", "accepttrue")
	})
}

// If the context of a handler is cancelled while it waits, its question is taken back.
func TestQuestionsAreTakenBack(t *testing.T) {
	within(t, func(t *testing.T) {
		s := newServer()
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) {
			short, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			_, err := confirm(short, "Sure?")
			time.Sleep(10 * time.Second)
			return fmt.Sprint(err), nil
		})
		c := connect(t, s)
		id := c.begin("ask")
		wait()
		c.question(id)
		time.Sleep(15 * time.Second)
		c.is(id, "working", "")
		time.Sleep(10 * time.Second)
		c.is(id, "completed", "context deadline exceeded")
	})
}

// Tasks that wait for a person are records, without goroutines.
func TestParkedTasks(t *testing.T) {
	within(t, func(t *testing.T) {
		const tasks = 100
		s := newServer(mcptask.WithStore(mcptask.NewMemory(), mcptask.WithLimits(mcptask.Limits{Active: tasks})))
		defer mcptask.Shutdown(t.Context(), s)
		add(s, "ask", mcptask.Support{}, func(ctx context.Context) (string, error) { return confirm(ctx, "Sure?") })
		c := connect(t, s)
		wait()
		before := testbed.Goroutines()
		var ids []string
		for range tasks {
			ids = append(ids, c.begin("ask"))
		}
		time.Sleep(2 * time.Minute)
		wait()
		if n := testbed.Goroutines(); n > before+1 {
			t.Errorf("%d goroutines, %d before", n, before)
		}
		for _, id := range ids {
			key, _ := c.question(id)
			c.answer(id, key)
		}
		wait()
		for _, id := range ids {
			c.is(id, "completed", "accepttrue")
		}
	})
}
