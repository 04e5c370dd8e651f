{{/* The start of all names. Kubernetes allows 63 characters, and the longest ending is "-receive" or "-migrate". */}}
{{- define "store-sync.name" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels that select pods: they never change. */}}
{{- define "store-sync.selector" -}}
app.kubernetes.io/name: store-sync
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "store-sync.labels" -}}
{{ include "store-sync.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "store-sync.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default (printf "v%s" .Chart.AppVersion) .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "store-sync.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "store-sync.name" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* What every pod has in common, the migration's too. */}}
{{- define "store-sync.podBasics" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "store-sync.containerBasics" -}}
image: {{ include "store-sync.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: config
    mountPath: /etc/store-sync
    readOnly: true
  - name: secrets
    mountPath: /run/secrets/store-sync
    readOnly: true
  - name: tmp
    mountPath: /tmp
{{- end -}}

{{/* The variables of a process. Its argument: the root as "root", and the process as "process". */}}
{{- define "store-sync.env" -}}
- name: STORE_SYNC_CONFIG
  value: /etc/store-sync/store-sync.yaml
- name: LOG_LEVEL
  value: {{ .root.Values.logLevel | quote }}
{{- $process := .process }}
{{- if not (or (eq $process "all") (eq $process "migrate")) }}
- name: STORE_SYNC_ROLES
  value: {{ $process }}
{{- end }}
{{- range $name, $secret := .root.Values.secrets.variables }}
{{- if or (ne $process "receive") $secret.receive }}
- name: {{ $name }}_FILE
  value: /run/secrets/store-sync/{{ $name }}
{{- end }}
{{- end }}
{{- range $name, $value := .root.Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{/* Secrets whose keys are variables of the process. */}}
{{- define "store-sync.envFrom" -}}
{{- $process := .process }}
{{- $names := list }}
{{- range .root.Values.secrets.environment }}
{{- if or (ne $process "receive") .receive }}
{{- $names = append $names .secretName }}
{{- end }}
{{- end }}
{{- with $names -}}
envFrom:
  {{- range . }}
  - secretRef:
      name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The volumes of a process: as store-sync.env, and the ConfigMap as "config". */}}
{{- define "store-sync.volumes" -}}
- name: config
  configMap:
    name: {{ .config }}
- name: secrets
  projected:
    defaultMode: 288 # 0440: fsGroup lets the program read it
    sources:
      {{- $root := .root }}
      {{- $process := .process }}
      {{- range $name, $secret := .root.Values.secrets.variables }}
      {{- if or (ne $process "receive") $secret.receive }}
      - secret:
          name: {{ default $root.Values.secrets.secretName $secret.secretName | quote }}
          items:
            - key: {{ $secret.key | quote }}
              path: {{ $name }}
      {{- end }}
      {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .root.Values.tmp.sizeLimit }}
{{- end -}}
