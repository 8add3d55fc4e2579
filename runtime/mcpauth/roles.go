package mcpauth

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// RoleSource determines which features a role can see. A feature that no role of a caller can see
// does not exist for the caller; a caller without roles sees nothing. Its method must be safe for
// concurrent use.
type RoleSource interface {
	// Role returns the access of a role, or nil for an unknown role, which sees nothing.
	Role(name string) mcp.Access
}

// RoleMap is an immutable RoleSource of policies for mcp.PolicyAccess. An invalid policy is an
// error of [New].
type RoleMap map[string]mcp.Policy

// Role returns the access of a role. A guard calls it once for each role.
func (m RoleMap) Role(name string) mcp.Access {
	p, ok := m[name]
	if !ok {
		return nil
	}
	a, err := compilePolicy(p)
	if err != nil {
		return nil
	}
	return a
}

// compiled contains the access of each role.
type compiled map[string]mcp.Access

func (m compiled) Role(name string) mcp.Access { return m[name] }

func compileRoles(policies map[string]mcp.Policy) (compiled, error) {
	m := compiled{}
	for name, policy := range policies {
		if name == "" {
			return nil, errors.New("a role has no name")
		}
		access, err := compilePolicy(policy)
		if err != nil {
			return nil, fmt.Errorf("role %s: %w", name, err)
		}
		m[name] = access
	}
	return m, nil
}

// compilePolicy returns an error if mcp.PolicyAccess would panic: files change while a program
// runs.
func compilePolicy(p mcp.Policy) (a mcp.Access, err error) {
	defer func() {
		if failure := recover(); failure != nil {
			a, err = nil, fmt.Errorf("%v", failure)
		}
	}()
	if len(p.Allow) == 0 && len(p.Deny) == 0 {
		return nil, errors.New("the policy is empty: write * to allow everything")
	}
	return mcp.PolicyAccess(p), nil
}

// RolesFile returns a RoleSource for a file: {"roles": {"staff": {"allow": ["books_*"], "deny":
// ["group:admin"]}}}, with the patterns of mcp.Policy. If the file cannot be read at first, [New]
// returns an error. The RoleSource reads the file again when it changes; if the new content is
// invalid, it logs that and keeps the previous roles.
func RolesFile(path string) RoleSource { return rolesFile{watch(path, readRoles)} }

type rolesFile struct{ *watched[compiled] }

func (f rolesFile) Role(name string) mcp.Access { return f.get().Role(name) }

// rolesOf checks the roles of Options, and compiles them.
func rolesOf(r RoleSource, l *slog.Logger) (RoleSource, error) {
	switch r := r.(type) {
	case RoleMap:
		return compileRoles(r)
	case rolesFile:
		r.logTo(l)
		if r.wrong != nil {
			return nil, fmt.Errorf("read roles: %w", r.wrong)
		}
	}
	return r, nil
}

// readRoles reads a file of roles.
func readRoles(text []byte) (compiled, error) {
	var file struct {
		Roles map[string]struct {
			Allow []string `json:"allow"`
			Deny  []string `json:"deny"`
		} `json:"roles"`
	}
	if err := readStrict(text, &file); err != nil {
		return nil, err
	}
	if file.Roles == nil {
		return nil, errors.New("there are no roles")
	}
	policies := map[string]mcp.Policy{}
	for name, r := range file.Roles {
		policies[name] = mcp.Policy{Allow: r.Allow, Deny: r.Deny}
	}
	return compileRoles(policies)
}
