// Package tasks implements the tools for the conformance suite's scenarios for tasks. The suite
// defines their names and behavior. They follow the tools of package features in lists, whose first
// tool the suite calls without arguments.
//
//mcp:defaults readonly closedworld errors=text
package tasks

//go:generate go run github.com/mcpgen/mcpgen/cmd/mcpgen

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/mcp"
)

// pause waits, or returns an error if the call ends first.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// greet is never a task.
//
//mcp:tool name=greet
func greet(name string) string { return "Hello, " + name + "!" }

// slowCompute takes some seconds. It is a task unless it takes less than a fifth of one.
//
//mcp:tool name=slow_compute task=optional inline=200ms taskttl=10m
func slowCompute(ctx context.Context, seconds int, label *string) (string, error) {
	for i := range seconds {
		mcp.Progress(ctx, float64(i), float64(seconds), "computing")
		if err := pause(ctx, time.Second); err != nil {
			return "", err
		}
	}
	if label == nil {
		return "computed", nil
	}
	return "computed " + *label, nil
}

var errJob = errors.New("the job has failed")

// failingJob fails after a second, as a task.
//
//mcp:tool name=failing_job task=required
func failingJob(ctx context.Context) error {
	if err := pause(ctx, time.Second); err != nil {
		return err
	}
	return errJob
}

// protocolErrorJob fails with an error of the protocol.
//
//mcp:tool name=protocol_error_job task=optional inline=0
func protocolErrorJob() error {
	return &mcp.ProtocolError{Code: -32603, Message: "the job cannot go on"}
}

// confirmation is the form of the tasks in this file.
//
//mcp:form
type confirmation struct {
	Name    string `json:"name,omitempty"`
	Confirm bool   `json:"confirm,omitempty"`
}

// confirmDelete asks before it deletes.
//
//mcp:tool name=confirm_delete task=optional inline=0
func confirmDelete(ctx context.Context, filename string) (string, error) {
	answer, err := mcp.Elicit[confirmation](ctx, "Delete "+filename+"?")
	if err != nil {
		return "", err
	}
	if !answer.Value.Confirm {
		return "kept " + filename, nil
	}
	return "deleted " + filename, nil
}

// multiInput asks two questions at the same time.
//
//mcp:tool name=multi_input task=optional inline=0
func multiInput(ctx context.Context) (string, error) {
	answers, errs := make([]mcp.Answer[confirmation], 2), make([]error, 2)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i], errs[i] = mcp.Elicit[confirmation](ctx, fmt.Sprintf("Input %d?", i+1), mcp.WithKey(fmt.Sprintf("input_%d", i+1)))
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	return fmt.Sprintf("inputs: %s %s", answers[0].Value.Name, answers[1].Value.Name), nil
}

// userName is the form that the tool below requests before it becomes a task.
//
//mcp:form
type userName struct {
	UserName string `json:"user_name,omitempty"`
	Name     string `json:"name,omitempty"`
}

// toolWithTask asks for a name in the call, and then becomes a task.
//
//mcp:tool name=test_tool_with_task task=required inline=2s
func toolWithTask(ctx context.Context) (string, error) {
	answer, err := mcp.Elicit[userName](ctx, "What is your name?", mcp.WithKey("user_name"))
	if err != nil {
		return "", err
	}
	return "Hello, " + answer.Value.UserName + answer.Value.Name + "!", nil
}
