package mcphttp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/internal/transport"
)

// groupsQuery is the query parameter with groups, separated by commas.
const groupsQuery = "groups"

// narrow sets the groups to which the query of a URL narrows the features, on a handler with
// groups. If it returns false, it has written the response.
func (h *core) narrow(w http.ResponseWriter, r *http.Request, from *transport.Caller) bool {
	// A parameter that cannot be parsed may contain the groups. Ignoring it would show the client
	// more features.
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		writeInvalid(w, http.StatusBadRequest, "the query of the URL cannot be read: "+logs.Cut(err.Error(), maxQuoted))
		return false
	}
	lists, named := query[groupsQuery]
	if !named {
		return true
	}
	groups := groupNames(lists)
	unknown, known := h.host.UnknownGroups(r.Context(), *from, h.sessions.transport, groups)
	if len(unknown) == 0 {
		from.Groups = groups
		return true
	}
	writeInvalid(w, http.StatusBadRequest, unknownText(unknown, known))
	return false
}

// groupNames returns the names in the values of the parameter, each once. Without any, it returns
// the empty name, which does not belong to any group.
func groupNames(lists []string) []string {
	names := strings.Split(strings.Join(lists, ","), ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if names[0] == "" && len(names) > 1 {
		names = names[1:]
	}
	return names
}

// maxQuoted limits the bytes of a query that a message repeats, and maxGroups the bytes of group
// names.
const (
	maxQuoted = 64
	maxGroups = 1000
)

func unknownText(unknown, known []string) string {
	text := "the parameter groups of the URL names no group"
	if unknown[0] != "" {
		text = "unknown groups in the URL: " + logs.Cut(strings.Join(unknown, ", "), maxQuoted)
	}
	if len(known) > 0 {
		text += "; there are " + logs.Cut(strings.Join(known, ", "), maxGroups)
	}
	return text
}
