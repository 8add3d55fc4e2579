package generator

import (
	"golang.org/x/tools/go/analysis"

	"github.com/mcpgen/mcpgen/generator/internal/vet"
)

// NewAnalyzer returns the rules of "mcpgen vet" as an analyzer, for plugins of linters. Its flags
// are rules, disable and max-tools, as those of the command. The rule token-budget finds nothing
// here: to estimate what a tool costs, the command serves its listing. Errors of the generator are
// reported too, since a package that has them has no contract.
func NewAnalyzer() *analysis.Analyzer { return vet.NewAnalyzer(vet.NewOptions()) }
