//go:build mcpgen_vendor

package cli

// This file is never built. It has "go mod vendor", which looks at all files,
// take along what the programs of "mcpgen run -http" import.
import _ "github.com/mcpgen/mcpgen/runtime/mcpcmd"
