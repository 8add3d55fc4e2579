package mcpclient

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// The shapes as encoding/json reads them by their tags, without methods. The tests compare the
// readers with them.
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
	plainInfo struct {
		TTL   *int64         `json:"ttlMs"`
		Cache mcp.CacheScope `json:"cacheScope"`
		Meta  mcp.Meta       `json:"_meta"`
	}
	plainResult struct {
		Content    []plainContent  `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
		plainInfo
	}
	plainRead struct {
		Contents []plainContents `json:"contents"`
		plainInfo
	}
	plainPrompt struct {
		Description string `json:"description"`
		Messages    []struct {
			Role    mcp.Role     `json:"role"`
			Content plainContent `json:"content"`
		} `json:"messages"`
		plainInfo
	}
)

func (p *plainContent) shape() (mcp.Content, error) {
	switch p.Type {
	case "text":
		return p.asText(), nil
	case "image":
		return p.asImage(), nil
	case "audio":
		return mcp.Audio(p.asImage()), nil
	case "resource_link":
		return mcp.ResourceLink{
			URI: p.URI, Name: p.Name, Title: p.Title, Description: p.Description, MIMEType: p.MIMEType, Size: p.Size,
			Icons: p.Icons, Annotations: p.Annotations, Meta: p.Meta,
		}, nil
	case "resource":
		c, err := p.Resource.shape()
		return mcp.EmbeddedResource{
			URI: c.URI, MIMEType: c.MIMEType, Text: c.Text, Blob: c.Blob, ResourceMeta: c.Meta, Annotations: p.Annotations, Meta: p.Meta,
		}, err
	}
	return nil, errors.New("type " + p.Type)
}

func (p *plainContent) sampled() (mcp.SampleContent, error) {
	switch p.Type {
	case "text":
		return p.asText(), nil
	case "image":
		return p.asImage(), nil
	case "audio":
		return mcp.Audio(p.asImage()), nil
	case "tool_use":
		return mcp.ToolUse{ID: p.ID, Name: p.Name, Input: p.Input, Meta: p.Meta}, nil
	case "tool_result":
		content, err := shapes(p.Content, (*plainContent).shape)
		return mcp.ToolOutcome{ID: p.ToolUseID, Result: &mcp.ToolResult{Content: content, Structured: p.Structured, IsError: p.IsError, Meta: p.Meta}}, err
	}
	return nil, errors.New("type " + p.Type)
}

func (p *plainContent) asText() mcp.Text {
	return mcp.Text{Text: p.Text, Annotations: p.Annotations, Meta: p.Meta}
}

func (p *plainContent) asImage() mcp.Image {
	return mcp.Image{Data: p.Data, MIMEType: p.MIMEType, Annotations: p.Annotations, Meta: p.Meta}
}

func (p *plainContents) shape() (mcp.ResourceContents, error) {
	c := mcp.ResourceContents{URI: p.URI, MIMEType: p.MIMEType, Meta: p.Meta}
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

func plainToolResult(data []byte) (*mcp.ToolResult, error) {
	var p plainResult
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	content, err := shapes(p.Content, (*plainContent).shape)
	return &mcp.ToolResult{Content: content, Structured: p.Structured, IsError: p.IsError, Meta: p.Meta}, err
}

func plainResourceResult(data []byte) (*mcp.ResourceResult, error) {
	var p plainRead
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	contents, err := shapes(p.Contents, (*plainContents).shape)
	r := &mcp.ResourceResult{Contents: contents, Cache: p.Cache, Meta: p.Meta}
	if p.TTL != nil {
		r.TTL = time.Duration(*p.TTL) * time.Millisecond
	}
	return r, err
}

func plainPromptResult(data []byte) (*mcp.PromptResult, error) {
	var p plainPrompt
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	r := &mcp.PromptResult{Description: p.Description, Messages: []mcp.PromptMessage{}, Meta: p.Meta}
	for _, m := range p.Messages {
		c, err := m.Content.shape()
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, mcp.PromptMessage{Role: m.Role, Content: c})
	}
	return r, nil
}

func plainSampleRequest(data []byte) (*mcp.SampleRequest, error) {
	var p struct {
		MaxTokens int
		Messages  []struct {
			Role    mcp.Role
			Content []plainContent
			Meta    mcp.Meta `json:"_meta"`
		}
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	r := &mcp.SampleRequest{MaxTokens: p.MaxTokens, Messages: []mcp.SampleMessage{}}
	for _, m := range p.Messages {
		content, err := shapes(m.Content, (*plainContent).sampled)
		if err != nil {
			return nil, err
		}
		r.Messages = append(r.Messages, mcp.SampleMessage{Role: m.Role, Content: content, Meta: m.Meta})
	}
	return r, nil
}

// ReadAnswer reads a model message from a script.
func ReadAnswer(data []byte) (*mcp.SampleResult, error) {
	var p struct {
		Role              mcp.Role
		Content           json.RawMessage
		Model, StopReason string
		Meta              mcp.Meta `json:"_meta"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	content, err := readValue(p.Content, nil, func(r *reader) any { return r.readBlocks(&r.d) })
	if err != nil {
		return nil, err
	}
	return &mcp.SampleResult{Role: p.Role, Content: content.([]mcp.SampleContent), Model: p.Model, StopReason: p.StopReason, Meta: p.Meta}, nil
}
