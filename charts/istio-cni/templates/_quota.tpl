{{- /* Copied from charts/common/templates/_quota.tpl: change it there, then `npm run gen:charts`. */ -}}
{{- /* Lets a namespace have node-critical pods; takes the number of pods. */}}
{{- define "mesh.nodeCriticalQuota" -}}
hard:
  pods: {{ quote . }}
scopeSelector:
  matchExpressions:
    - scopeName: PriorityClass
      operator: In
      values: [system-node-critical]
{{- end }}
