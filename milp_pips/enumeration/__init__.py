"""All solutions by engines: by cuts, by partition, by cubes, natively, or joined from independent parts."""
