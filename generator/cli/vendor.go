//go:build mcpgen_vendor

package cli

// This file is never built. Because of it "go mod vendor", which reads all files, copies what the
// programs of "mcpgen run -http" import.
import _ "github.com/mcpgen/mcpgen/runtime/mcpcmd"
