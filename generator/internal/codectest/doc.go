// Package codectest holds one tool of the size and shape that a busy server is asked for: nested
// arguments with enumerations, bounds, arrays and maps, and a list of records as the result. Its
// generated codecs are measured against encoding/json, guarded against allocations, and fuzzed; its
// wrong arguments are the golden messages that a model reads.
//
//mcp:server name=bench
package codectest
