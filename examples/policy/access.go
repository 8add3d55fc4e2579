package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/cedar-policy/cedar-go"

	"github.com/mcpgen/mcpgen/runtime/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcpauth"
)

// access authorizes calls by policies. Tools that it does not permit do not exist for the caller.
type access struct{ policies *cedar.PolicySet }

func newAccess(text []byte) (*access, error) {
	policies, err := cedar.NewPolicySetFromBytes("policy.cedar", text)
	if err != nil {
		return nil, fmt.Errorf("read policy.cedar: %w", err)
	}
	return &access{policies}, nil
}

var errForbidden = errors.New("the policies do not permit it")

// Authorize returns an error unless the caller, a member of its roles, may use a tool.
func (a *access) Authorize(ctx context.Context, f mcp.FeatureInfo) error {
	caller := cedar.Entity{UID: cedar.NewEntityUID("Caller", cedar.String(mcp.CallFrom(ctx).Principal().ID))}
	if who := mcpauth.IdentityFromContext(ctx); who != nil {
		var roles []cedar.EntityUID
		for _, role := range who.Roles {
			roles = append(roles, cedar.NewEntityUID("Role", cedar.String(role)))
		}
		caller.Parents = cedar.NewEntityUIDSet(roles...)
	}
	tool := cedar.Entity{UID: cedar.NewEntityUID("Tool", cedar.String(f.Name)), Attributes: cedar.NewRecord(cedar.RecordMap{
		"readOnly": cedar.Boolean(f.Hints.ReadOnly), "destructive": cedar.Boolean(f.Hints.Destructive),
	})}
	decision, why := cedar.Authorize(a.policies, cedar.EntityMap{caller.UID: caller, tool.UID: tool},
		cedar.Request{Principal: caller.UID, Action: cedar.NewEntityUID("Action", "use"), Resource: tool.UID})
	// Cedar ignores a policy that fails, but it may be one that forbids.
	if decision != cedar.Allow || len(why.Errors) > 0 {
		return errForbidden
	}
	return nil
}
