// Huma turns handlers of a huma API into tools by comments alone; their tags apply to the tools.
//
//	go run -C ./huma .                                  # http://127.0.0.1:8080/tasks, and tools at /mcp
//	go tool mcpgen call . add_task title="Buy a whale"  # in this folder
package main

import (
	"context"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/mcpgen/mcpgen/runtime/mcphttp"
)

//go:generate go tool mcpgen

func main() {
	api := NewAPI()
	mux := http.NewServeMux()
	api.register(humago.New(mux, huma.DefaultConfig("Tasks", "1.0.0")))
	mux.Handle("/mcp", mcphttp.NewHandler(NewMCPServer(api)))
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// API has the handlers.
//
//mcp:defaults closedworld errors=text output=text
type API struct {
	mu    sync.Mutex
	tasks []task
}

// NewAPI has one task.
func NewAPI() *API { return &API{tasks: []task{{ID: 1, Title: "Read Moby-Dick", Priority: "high"}}} }

func (a *API) register(api huma.API) {
	huma.Get(api, "/tasks", a.ListTasks)
	huma.Post(api, "/tasks", a.AddTask)
}

type task struct {
	ID       int64  `json:"id" readOnly:"true"`
	Title    string `json:"title" minLength:"1" maxLength:"80" doc:"What is to be done."`
	Priority string `json:"priority,omitempty" enum:"low,high" default:"low" doc:"How urgent it is."`
}

type listInput struct {
	Query string `query:"q" doc:"Words of the title."`
	Limit int    `query:"limit" default:"20" minimum:"1" maximum:"100" doc:"How many at most."`
}

type listOutput struct{ Body []task }
type taskBody struct{ Body task }

// ListTasks returns the tasks whose titles have some words.
//
//mcp:tool readonly
//mcp:result Body
func (a *API) ListTasks(ctx context.Context, in *listInput) (*listOutput, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := &listOutput{Body: []task{}}
	for _, t := range a.tasks {
		if strings.Contains(t.Title, in.Query) && len(out.Body) < in.Limit {
			out.Body = append(out.Body, t)
		}
	}
	return out, nil
}

// AddTask adds a task.
//
//mcp:tool additive
//mcp:arg Body inline
//mcp:result Body
func (a *API) AddTask(ctx context.Context, in *taskBody) (*taskBody, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	in.Body.ID = int64(len(a.tasks)) + 1
	a.tasks = append(a.tasks, in.Body)
	return in, nil
}
