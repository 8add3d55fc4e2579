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
	key := c.target.Key()
	_, known := c.eras.Get(key)
	c.eras.Drop(key)
	return known
}
