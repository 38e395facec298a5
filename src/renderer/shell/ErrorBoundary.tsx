/** A screen that fails takes nothing else with it. */
import { Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { EmptyState, Screen } from '../parts/index.ts'
import { go, home } from '../routes/index.ts'

interface Props {
  readonly children: ReactNode
}

export class ErrorBoundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <Screen title="This screen failed">
        <EmptyState
          title="The screen could not be drawn"
          action={
            <Button.Group>
              <Button variant="default" onClick={() => this.setState({ error: null })}>
                Try again
              </Button>
              <Button variant="default" onClick={() => go(home)}>
                Studies
              </Button>
            </Button.Group>
          }
        >
          {error.message} Nothing stored is affected, and what runs goes on.
        </EmptyState>
      </Screen>
    )
  }
}
