//go:build mcpgen_vendor

package cli

// This file is never built. It makes "go mod vendor", which reads all files, copy the imports of
// programs of "mcpgen run -http", and of generated files with skills.
import (
	_ "github.com/mcpgen/mcpgen/runtime/mcpcmd"
	_ "github.com/mcpgen/mcpgen/runtime/mcpskill"
)
