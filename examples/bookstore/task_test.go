package bookstore

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// withTasks are the capabilities of a client with forms and tasks.
const withTasks = `{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// task is a task as tasks/get returns it.
type task struct {
	TaskID, Status string
	InputRequests  map[string]struct {
		Params struct{ Message string }
	}
	Result toolResult
}

// start calls a tool, whose call must become a task, and returns its id.
func (c *client) start(tool, arguments string) string {
	c.t.Helper()
	var created struct{ ResultType, TaskID string }
	c.ask("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments)).into(c.t, &created)
	if created.ResultType != "task" {
		c.t.Fatalf("%s is not a task: %+v", tool, created)
	}
	return created.TaskID
}

// follow polls a task until it has the status.
func (c *client) follow(id, status string) task {
	c.t.Helper()
	for range 100 {
		var got task
		c.ask("tasks/get", fmt.Sprintf(`"taskId":%q`, id)).into(c.t, &got)
		if got.Status == status {
			return got
		}
		time.Sleep(time.Second)
	}
	c.t.Fatalf("task %s does not become %s", id, status)
	return task{}
}

// answer answers the question of a task.
func (c *client) answer(got task, answer string) {
	c.t.Helper()
	for key := range got.InputRequests {
		if r := c.ask("tasks/update", fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:%s}`, got.TaskID, key, answer)); r.Error != nil {
			c.t.Errorf("the answer is refused: %+v", r.Error)
		}
	}
}

// TestTakeStock takes stock of a shop with a book whose reservations disagree. The handler is
// parked while it waits for the answer, and does not count again.
func TestTakeStock(t *testing.T) {
	for answer, corrected := range map[string]bool{
		`{"action":"accept","content":{"correct":true}}`:  true,
		`{"action":"accept","content":{"correct":false}}`: false,
		`{"action":"decline"}`:                            false,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := open(t)
			c := connectWith(t, t.Context(), s, modernRevision, withTasks)
			if _, err := s.db.ExecContext(t.Context(), "UPDATE books SET reserved = 2 WHERE id = 2701"); err != nil {
				t.Fatal(err)
			}
			id := c.start("take_stock", "{}")
			asked := c.follow(id, "input_required")
			if len(asked.InputRequests) != 1 {
				t.Fatalf("the questions are %+v", asked.InputRequests)
			}
			time.Sleep(2 * time.Minute) // the run is parked, and the counts are stored
			if _, err := s.db.ExecContext(t.Context(), "UPDATE books SET price_cents = 1"); err != nil {
				t.Fatal(err)
			}
			c.answer(asked, answer)
			var got Stocktaking
			if err := json.Unmarshal(c.follow(id, "completed").Result.StructuredContent, &got); err != nil {
				t.Fatal(err)
			}
			want := []Difference{{ID: 2701, Title: "Moby-Dick; Or, The Whale", Reserved: 2, Held: 0}}
			if got.Titles != 275 || got.ValueCents < 10*got.Copies || got.Reserved != 2 || !reflect.DeepEqual(got.Differences, want) || got.Corrected != corrected {
				t.Errorf("%s: %+v", answer, got)
			}
			var reserved int
			if err := s.db.QueryRowContext(t.Context(), "SELECT reserved FROM books WHERE id = 2701").Scan(&reserved); err != nil || (reserved == 0) != corrected {
				t.Errorf("%s: %d copies are reserved: %v", answer, reserved, err)
			}
		})
	}
}

// TestTakeStockPlain takes stock for clients without tasks: in one call.
func TestTakeStockPlain(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		r := c.call("take_stock", "{}")
		var got Stocktaking
		if err := json.Unmarshal([]byte(r.text()), &got); err != nil || r.IsError || got.Titles != 275 || len(got.Differences) > 0 || got.Corrected {
			t.Errorf("%+v: %v", got, err)
		}
	})
}

func TestImportList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t)
		c := connectWith(t, t.Context(), s, modernRevision, withTasks)
		var list strings.Builder
		list.WriteString(bulkColumns + "\n")
		for i := range 250 {
			fmt.Fprintf(&list, "Book %d,A. Writer,2001,,whales; sea,,995,3\n", i)
		}
		list.WriteString("Book 7,A. Writer,2001,,,,995,3\n")           // it was just imported
		list.WriteString("Book 7,A. Writer,2001,en,,hardback,995,3\n") // a different book
		list.WriteString("No year,A. Writer,soon,en,,,995,3\n")
		list.WriteString("No columns\n")
		list.WriteString(",,2001,xx,,scroll,0,3\n")
		arguments, err := json.Marshal(map[string]string{"list": list.String()})
		if err != nil {
			t.Fatal(err)
		}
		var got BulkImport
		result := c.follow(c.start("import_list", string(arguments)), "completed").Result
		if err := json.Unmarshal(result.StructuredContent, &got); err != nil || result.IsError {
			t.Fatalf("%+v: %v", result, err)
		}
		if got.Added != 251 || got.Known != 1 || len(got.Refused) != 3 || got.Refused[0] != (RefusedLine{254, "year must be a number from 1450 to 2100"}) {
			t.Errorf("%+v", got)
		}
		again := c.follow(c.start("import_list", string(arguments)), "completed").Result
		if err := json.Unmarshal(again.StructuredContent, &got); err != nil || got.Added != 0 || got.Known != 252 {
			t.Errorf("the same again: %+v: %v", got, err)
		}
		for _, wrong := range []string{"title\n", "", bulkColumns + "\n\"open"} {
			arguments, _ := json.Marshal(map[string]string{"list": wrong})
			if wrong == "" {
				if r := c.call("import_list", string(arguments)); !r.IsError {
					t.Errorf("an empty list: %+v", r)
				}
				continue
			}
			if r := c.follow(c.start("import_list", string(arguments)), "completed").Result; !r.IsError || !strings.Contains(r.text(), "must be CSV") {
				t.Errorf("%q: %+v", wrong, r)
			}
		}
	})
}

// TestImportListRequired: a client without tasks cannot import a list.
func TestImportListRequired(t *testing.T) {
	everyRevision(t, func(t *testing.T, c *client) {
		want := map[string]int{"2025-11-25": -32601, modernRevision: -32021}
		code, ok := want[c.revision]
		if !ok {
			code = -32602
		}
		if r := c.ask("tools/call", `"name":"import_list","arguments":{"list":"x"}`); r.Error == nil || r.Error.Code != code {
			t.Errorf("%+v, want error %d", r, code)
		}
	})
}
