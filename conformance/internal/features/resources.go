package features

// staticText is the content of the resource.
//
//mcp:doc A text that does not change.
//mcp:resource test://static-text mime=text/plain ttl=1h cache=public
const staticText = "This is the content of the static text resource."

// staticBinary returns a picture that does not change.
//
//mcp:resource test://static-binary mime=image/png ttl=1h cache=public
func staticBinary() []byte { return redPixel }

// watchedResource is the content of the resource.
//
//mcp:doc A text that clients subscribe to.
//mcp:resource test://watched-resource mime=text/plain
const watchedResource = "Watched resource content"

// TemplateData is the result of templateData.
type TemplateData struct {
	ID           string `json:"id"`
	TemplateTest bool   `json:"templateTest"`
	Data         string `json:"data"`
}

// templateData returns something about a thing that has an identifier.
//
//mcp:resource test://template/{id}/data
func templateData(id string) TemplateData {
	return TemplateData{ID: id, TemplateTest: true, Data: "Data for ID: " + id}
}
