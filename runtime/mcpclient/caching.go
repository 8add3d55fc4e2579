package mcpclient

import (
	"context"
	"encoding/json"
)

// cached sends a request whose result may come from the cache.
func (c *Client) cached(ctx context.Context, r *Request) (json.RawMessage, error) {
	return c.rounds(ctx, r)
}

// forget drops what is known of the revision of the server. It reports false if nothing was.
func (c *Client) forget() bool {
	r, _ := c.era.get()
	c.era.drop()
	return r != nil
}
