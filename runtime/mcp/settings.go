package mcp

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/clientlimit"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/membudget"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// engineSettings are what all connections of a server have in common. They do not change once it serves.
type engineSettings struct {
	log       *logs.Log
	limits    engineLimits
	memory    *membudget.Budget
	calls     *clientlimit.Counter // of all connections
	listens   *clientlimit.Counter
	parser    jsonrpc.Parser
	pingAfter time.Duration // 0 = no pings
}

// engineLimits bound what a connection can make the server hold or wait for. mcp.Limits says what each is.
type engineLimits struct {
	Depth, InFlight, OpenQuestions int
	ResultBytes, QueueBytes        int
	ProgressRate, LogRate          int

	CallTime, QuestionTime          time.Duration
	WriteTime, DrainTime, GraceTime time.Duration
}
