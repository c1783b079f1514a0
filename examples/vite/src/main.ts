const message = document.getElementById('message')

if (message != null) {
  message.textContent = `Served from ${location.host}`
}
