package generator

import (
	"golang.org/x/tools/go/analysis"

	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

// NewAnalyzer returns the rules of "mcpgen vet" as an analyzer, for plugins of linters. Its flags
// are rules, disable and max-tools, like the command's. The rule token-budget finds nothing here:
// to estimate the tokens of a tool, the command serves its listing. Errors of the generator are
// reported too, since a package with errors has no contract.
func NewAnalyzer() *analysis.Analyzer { return vet.NewAnalyzer(vet.NewOptions()) }
