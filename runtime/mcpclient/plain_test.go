package mcpclient

import (
	"encoding/json"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The shapes as encoding/json reads them by their tags, without methods: what the readers are
// compared with.
type (
	plainContent struct {
		Type        string           `json:"type"`
		Text        string           `json:"text"`
		Data        []byte           `json:"data"`
		MIMEType    string           `json:"mimeType"`
		URI         string           `json:"uri"`
		Name        string           `json:"name"`
		Title       string           `json:"title"`
		Description string           `json:"description"`
		Size        int64            `json:"size"`
		Icons       []mcp.Icon       `json:"icons"`
		Resource    *plainContents   `json:"resource"`
		ID          string           `json:"id"`
		Input       json.RawMessage  `json:"input"`
		ToolUseID   string           `json:"toolUseId"`
		Content     []plainContent   `json:"content"`
		Structured  json.RawMessage  `json:"structuredContent"`
		IsError     bool             `json:"isError"`
		Annotations *mcp.Annotations `json:"annotations"`
		Meta        mcp.Meta         `json:"_meta"`
	}
	plainContents struct {
		URI      string   `json:"uri"`
		MIMEType string   `json:"mimeType"`
		Text     *string  `json:"text"`
		Blob     *[]byte  `json:"blob"`
		Meta     mcp.Meta `json:"_meta"`
	}
	plainResult struct {
		Content    []plainContent  `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
		ResultInfo
	}
	plainRead struct {
		Contents []plainContents `json:"contents"`
		ResultInfo
	}
	plainPrompt struct {
		Description string `json:"description"`
		Messages    []struct {
			Role    string       `json:"role"`
			Content plainContent `json:"content"`
		} `json:"messages"`
		ResultInfo
	}
)

func (p *plainContent) shape() (Content, error) {
	c := Content{
		Type: p.Type, Text: p.Text, Data: p.Data, MIMEType: p.MIMEType, URI: p.URI, Name: p.Name, Title: p.Title,
		Description: p.Description, Size: p.Size, Icons: p.Icons, ID: p.ID, Input: p.Input, ToolUseID: p.ToolUseID,
		Structured: p.Structured, IsError: p.IsError, Annotations: p.Annotations, Meta: p.Meta,
	}
	if p.Resource != nil {
		r, err := p.Resource.shape()
		if err != nil {
			return c, err
		}
		c.Resource = &r
	}
	var err error
	c.Content, err = shapes(p.Content, (*plainContent).shape)
	return c, err
}

func (p *plainContents) shape() (Contents, error) {
	c := Contents{URI: p.URI, MIMEType: p.MIMEType, Meta: p.Meta}
	if (p.Text == nil) == (p.Blob == nil) {
		return c, errors.New("both or neither")
	}
	if p.Text != nil {
		c.Text = *p.Text
	} else {
		c.Blob = *p.Blob
	}
	return c, nil
}

func shapes[P, T any](all []P, shape func(*P) (T, error)) ([]T, error) {
	if all == nil {
		return nil, nil
	}
	list := make([]T, len(all))
	for i := range all {
		var err error
		if list[i], err = shape(&all[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// The results as encoding/json reads them.

func plainToolResult(data []byte) (*ToolResult, error) {
	var p plainResult
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	content, err := shapes(p.Content, (*plainContent).shape)
	return &ToolResult{Content: content, Structured: p.Structured, IsError: p.IsError, ResultInfo: p.ResultInfo}, err
}

func plainReadResult(data []byte) (*ReadResult, error) {
	var p plainRead
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	contents, err := shapes(p.Contents, (*plainContents).shape)
	return &ReadResult{Contents: contents, ResultInfo: p.ResultInfo}, err
}

func plainPromptResult(data []byte) (*PromptResult, error) {
	var p plainPrompt
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	r := &PromptResult{Description: p.Description, Messages: []PromptMessage{}, ResultInfo: p.ResultInfo}
	for _, m := range p.Messages {
		c, err := m.Content.shape()
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, PromptMessage{Role: m.Role, Content: c})
	}
	return r, nil
}
