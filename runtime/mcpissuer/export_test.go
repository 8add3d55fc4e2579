package mcpissuer

// SetMost limits every table of the issuer, so that tests can fill them.
func SetMost(i *Issuer, most int) {
	for _, t := range []*int{
		&i.known.most, &i.documents.most, &i.tickets.most, &i.codes.most, &i.refreshes.most, &i.tokens.most, &i.proofs.most, &i.assertions.most,
	} {
		*t = most
	}
}

// Kept returns the number of entries in each table, including deleted ones that still occupy
// memory.
func Kept(i *Issuer) map[string]int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return map[string]int{
		"registrations": len(i.known.order), "documents": len(i.documents.order), "pages": len(i.tickets.order), "codes": len(i.codes.order),
		"refresh tokens": len(i.refreshes.order), "access tokens": len(i.tokens.order), "proofs": len(i.proofs.order), "assertions": len(i.assertions.order),
	}
}

// Most contains the limits of the tables.
var Most = map[string]int{
	"registrations": maxClients, "documents": maxDocuments, "pages": maxTickets, "codes": maxCodes,
	"refresh tokens": maxRefreshes, "access tokens": maxTokens, "proofs": maxProofs, "assertions": maxAssertions,
}
