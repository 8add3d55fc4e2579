// Package corpus holds the packages that mcpgen is tried on as a whole; see
// the script run.
package corpus

import (
	_ "github.com/CycloneDX/cyclonedx-go"
	_ "github.com/compose-spec/compose-go/v2/types"
	_ "github.com/opencontainers/runtime-spec/specs-go"
	_ "github.com/sashabaranov/go-openai"
	_ "k8s.io/api/core/v1"

	_ "github.com/mcpgen/mcpgen/generator/zoo/identity"
	_ "github.com/mcpgen/mcpgen/generator/zoo/prove"
	_ "github.com/mcpgen/mcpgen/runtime/mcp"
)
