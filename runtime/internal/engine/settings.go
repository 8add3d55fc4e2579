package engine

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Settings are the properties that all connections of a server share. They do not change once it
// serves.
type Settings struct {
	Log       *logs.Log
	Limits    Limits
	Memory    *membudget.Budget
	Calls     *clientlimit.Counter // of all connections
	Listens   *clientlimit.Counter
	Parser    jsonrpc.Parser
	PingAfter time.Duration // 0 = no pings
}

// Limits limit the memory and time that the requests of clients can take. mcp.Limits documents
// each.
type Limits struct {
	Depth, InFlight, OpenQuestions int
	ResultBytes, QueueBytes        int
	ProgressRate, LogRate          int

	CallTime, QuestionTime          time.Duration
	WriteTime, DrainTime, GraceTime time.Duration
}
