// Package schema contains the entities from which ent generates a client.
package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"github.com/google/uuid"
)

// Customer is a customer of the shop.
type Customer struct{ ent.Schema }

// Fields returns the fields of a customer.
func (Customer) Fields() []ent.Field {
	return []ent.Field{
		field.UUID("id", uuid.UUID{}).Default(uuid.New),
		field.String("name").NotEmpty(),
		field.String("email").Optional().Nillable(),
		field.Enum("level").Values("silver", "gold"),
		field.JSON("tags", []string{}).Optional(),
		field.Time("since").Default(time.Now),
	}
}

// Edges returns the edge to the orders of a customer.
func (Customer) Edges() []ent.Edge { return []ent.Edge{edge.To("orders", Order.Type)} }

// Order is a purchase.
type Order struct{ ent.Schema }

// Fields returns the fields of an order.
func (Order) Fields() []ent.Field {
	return []ent.Field{
		field.Int64("cents").Positive(),
		field.Bool("paid"),
		field.Bytes("invoice").Optional(),
	}
}

// Edges returns the edge to the customer of an order.
func (Order) Edges() []ent.Edge {
	return []ent.Edge{edge.From("customer", Customer.Type).Ref("orders").Unique().Required()}
}
