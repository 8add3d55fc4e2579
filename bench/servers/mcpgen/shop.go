package mcpgen

import "github.com/mcpgen/mcpgen/bench/catalog"

// These functions are only listed, never called: 45 functions of a shop, so that the list has 50.

// Entry is what is known of a thing.
type Entry struct {
	ID     int64    `json:"id"`             // unique, given by the shop
	Name   string   `json:"name"`           // as people write it
	Active bool     `json:"active"`         // false once it is archived
	Tags   []string `json:"tags,omitempty"` // free words to find it by
}

// Draft is what is to be known of a thing.
type Draft struct {
	Name  string       `json:"name" jsonschema:"minLength=1,maxLength=200"`      // as people write it
	Note  string       `json:"note,omitempty" jsonschema:"maxLength=2000"`       // for the staff only
	Tags  []string     `json:"tags,omitempty" jsonschema:"maxItems=20"`          // free words to find it by
	Order catalog.Sort `json:"order,omitempty"`                                  // how its books are shown
	Score float64      `json:"score,omitempty" jsonschema:"minimum=0,maximum=5"` // 0 to 5
}

// Entries are one page of things.
type Entries struct {
	Items []Entry `json:"items"`
	Next  string  `json:"next,omitempty"` // where the next page begins
}

// GetAuthor returns what is known of an author.
//
//mcp:tool readonly
//mcp:arg id "number of an author" minimum=1
func GetAuthor(id int64) Entry { return Entry{ID: id} }

// ListAuthors returns a page of authors, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListAuthors(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateAuthor enters an author.
//
//mcp:tool additive
func CreateAuthor(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateAuthor replaces what is known of an author.
//
//mcp:tool idempotent
//mcp:arg id "number of an author" minimum=1
//mcp:arg draft "what is to be known"
func UpdateAuthor(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteAuthor deletes an author for good.
//
//mcp:tool destructive
//mcp:arg id "number of an author" minimum=1
func DeleteAuthor(id int64) Entry { return Entry{ID: id} }

// GetPublisher returns what is known of a publisher.
//
//mcp:tool readonly
//mcp:arg id "number of a publisher" minimum=1
func GetPublisher(id int64) Entry { return Entry{ID: id} }

// ListPublishers returns a page of publishers, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListPublishers(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreatePublisher enters a publisher.
//
//mcp:tool additive
func CreatePublisher(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdatePublisher replaces what is known of a publisher.
//
//mcp:tool idempotent
//mcp:arg id "number of a publisher" minimum=1
//mcp:arg draft "what is to be known"
func UpdatePublisher(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeletePublisher deletes a publisher for good.
//
//mcp:tool destructive
//mcp:arg id "number of a publisher" minimum=1
func DeletePublisher(id int64) Entry { return Entry{ID: id} }

// GetOrder returns what is known of an order.
//
//mcp:tool readonly
//mcp:arg id "number of an order" minimum=1
func GetOrder(id int64) Entry { return Entry{ID: id} }

// ListOrders returns a page of orders, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListOrders(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateOrder enters an order.
//
//mcp:tool additive
func CreateOrder(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateOrder replaces what is known of an order.
//
//mcp:tool idempotent
//mcp:arg id "number of an order" minimum=1
//mcp:arg draft "what is to be known"
func UpdateOrder(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteOrder deletes an order for good.
//
//mcp:tool destructive
//mcp:arg id "number of an order" minimum=1
func DeleteOrder(id int64) Entry { return Entry{ID: id} }

// GetCustomer returns what is known of a customer.
//
//mcp:tool readonly
//mcp:arg id "number of a customer" minimum=1
func GetCustomer(id int64) Entry { return Entry{ID: id} }

// ListCustomers returns a page of customers, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListCustomers(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateCustomer enters a customer.
//
//mcp:tool additive
func CreateCustomer(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateCustomer replaces what is known of a customer.
//
//mcp:tool idempotent
//mcp:arg id "number of a customer" minimum=1
//mcp:arg draft "what is to be known"
func UpdateCustomer(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteCustomer deletes a customer for good.
//
//mcp:tool destructive
//mcp:arg id "number of a customer" minimum=1
func DeleteCustomer(id int64) Entry { return Entry{ID: id} }

// GetInvoice returns what is known of an invoice.
//
//mcp:tool readonly
//mcp:arg id "number of an invoice" minimum=1
func GetInvoice(id int64) Entry { return Entry{ID: id} }

// ListInvoices returns a page of invoices, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListInvoices(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateInvoice enters an invoice.
//
//mcp:tool additive
func CreateInvoice(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateInvoice replaces what is known of an invoice.
//
//mcp:tool idempotent
//mcp:arg id "number of an invoice" minimum=1
//mcp:arg draft "what is to be known"
func UpdateInvoice(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteInvoice deletes an invoice for good.
//
//mcp:tool destructive
//mcp:arg id "number of an invoice" minimum=1
func DeleteInvoice(id int64) Entry { return Entry{ID: id} }

// GetShipment returns what is known of a shipment.
//
//mcp:tool readonly
//mcp:arg id "number of a shipment" minimum=1
func GetShipment(id int64) Entry { return Entry{ID: id} }

// ListShipments returns a page of shipments, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListShipments(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateShipment enters a shipment.
//
//mcp:tool additive
func CreateShipment(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateShipment replaces what is known of a shipment.
//
//mcp:tool idempotent
//mcp:arg id "number of a shipment" minimum=1
//mcp:arg draft "what is to be known"
func UpdateShipment(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteShipment deletes a shipment for good.
//
//mcp:tool destructive
//mcp:arg id "number of a shipment" minimum=1
func DeleteShipment(id int64) Entry { return Entry{ID: id} }

// GetReview returns what is known of a review.
//
//mcp:tool readonly
//mcp:arg id "number of a review" minimum=1
func GetReview(id int64) Entry { return Entry{ID: id} }

// ListReviews returns a page of reviews, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListReviews(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateReview enters a review.
//
//mcp:tool additive
func CreateReview(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateReview replaces what is known of a review.
//
//mcp:tool idempotent
//mcp:arg id "number of a review" minimum=1
//mcp:arg draft "what is to be known"
func UpdateReview(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteReview deletes a review for good.
//
//mcp:tool destructive
//mcp:arg id "number of a review" minimum=1
func DeleteReview(id int64) Entry { return Entry{ID: id} }

// GetShelf returns what is known of a shelf.
//
//mcp:tool readonly
//mcp:arg id "number of a shelf" minimum=1
func GetShelf(id int64) Entry { return Entry{ID: id} }

// ListShelves returns a page of shelves, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListShelves(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateShelf enters a shelf.
//
//mcp:tool additive
func CreateShelf(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateShelf replaces what is known of a shelf.
//
//mcp:tool idempotent
//mcp:arg id "number of a shelf" minimum=1
//mcp:arg draft "what is to be known"
func UpdateShelf(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteShelf deletes a shelf for good.
//
//mcp:tool destructive
//mcp:arg id "number of a shelf" minimum=1
func DeleteShelf(id int64) Entry { return Entry{ID: id} }

// GetSupplier returns what is known of a supplier.
//
//mcp:tool readonly
//mcp:arg id "number of a supplier" minimum=1
func GetSupplier(id int64) Entry { return Entry{ID: id} }

// ListSuppliers returns a page of suppliers, in the order of their names.
//
//mcp:tool readonly
//mcp:arg filter "part of the name" maxLength=100
//mcp:arg limit "size of the page" minimum=1 maximum=100 default=20
//mcp:arg after "where the page begins, as the page before said" default=""
func ListSuppliers(filter string, limit int, after string) Entries { return Entries{Next: after} }

// CreateSupplier enters a supplier.
//
//mcp:tool additive
func CreateSupplier(draft Draft) Entry { return Entry{Name: draft.Name} }

// UpdateSupplier replaces what is known of a supplier.
//
//mcp:tool idempotent
//mcp:arg id "number of a supplier" minimum=1
//mcp:arg draft "what is to be known"
func UpdateSupplier(id int64, draft Draft) Entry { return Entry{ID: id, Name: draft.Name} }

// DeleteSupplier deletes a supplier for good.
//
//mcp:tool destructive
//mcp:arg id "number of a supplier" minimum=1
func DeleteSupplier(id int64) Entry { return Entry{ID: id} }
