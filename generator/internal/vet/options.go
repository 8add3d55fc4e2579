package vet

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/diag"
	"github.com/mcpgen/mcpgen/generator/internal/model"
)

// The limits, unless flags change them.
const (
	defaultMaxTools  = 40
	defaultMaxTokens = 1000
	maxClientName    = 64 // characters of mcp__SERVER__TOOL
)

// Options are the settings of a run.
type Options struct {
	Rules     []string // only these rules; empty means all
	Disable   []string // without these rules
	MaxTools  int      // per package; any number if not positive
	MaxTokens int      // per tool; any number if not positive
	// Tokens estimates the tokens of each tool in a package, in the order of the model. Without it
	// the rule token-budget finds nothing.
	Tokens func(*model.Package) ([]int, error)
}

// NewOptions returns the defaults.
func NewOptions() *Options {
	return &Options{MaxTools: defaultMaxTools, MaxTokens: defaultMaxTokens}
}

// Register adds the flags -rules, -disable, -max-tools and -max-tokens. Names of unknown rules are
// parse errors.
func (o *Options) Register(f *flag.FlagSet) {
	f.Var((*ruleList)(&o.Rules), "rules", "check only these rules, separated by commas")
	f.Var((*ruleList)(&o.Disable), "disable", "do not check these rules, separated by commas")
	f.IntVar(&o.MaxTools, "max-tools", o.MaxTools, "how many tools a package may have; 0 is any number")
	f.IntVar(&o.MaxTokens, "max-tokens", o.MaxTokens, "how many tokens a tool may cost; 0 is any number")
}

func (o *Options) enabled(rule string) bool {
	return (len(o.Rules) == 0 || slices.Contains(o.Rules, rule)) && !slices.Contains(o.Disable, rule)
}

// ruleList is a flag with names of rules.
type ruleList []string

func (l *ruleList) String() string { return strings.Join(*l, ",") }

// Set adds names, so that the flag may be repeated.
func (l *ruleList) Set(value string) error {
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if !known(name) {
			return fmt.Errorf("there is no rule %s; %s", name, suggest(name))
		}
		*l = append(*l, name)
	}
	return nil
}

func known(rule string) bool { return slices.Contains(ruleNames(), rule) }

// suggest returns a hint that names the rule that was probably meant.
func suggest(rule string) string {
	if near := diag.Nearest(rule, ruleNames()); near != "" {
		return "did you mean " + near + "?"
	}
	return "the rules are " + strings.Join(ruleNames(), ", ")
}
